import { expect } from '@playwright/test'
import { crmUrl, portalUrl } from './addresses.ts'

/** Sends a form of the lender's staff page about a lead or a deal, named by its LOID. Returns the record's id in the CRM. */
export async function actAsStaff(path: string, form: Record<string, string>, crm = crmUrl): Promise<string> {
  const body = new URLSearchParams(form)
  const answer = await fetch(crm + path, { method: 'POST', body, redirect: 'manual' })
  const to = new URL(answer.headers.get('location') ?? '', crm)
  expect(to.searchParams.get('problem'), path).toBeNull()
  expect(answer.status, path).toBe(303)
  return to.pathname.split('/').at(-1) ?? ''
}

/** Syncs, so that the portal has all records of this partner from the CRM. */
export async function pullFromCrm(token: string, portal = portalUrl): Promise<void> {
  const answer = await fetch(`${portal}/api/crm/sync`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
  })
  expect(answer.status).toBe(200)
}
