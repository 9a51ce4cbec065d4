import { expect } from '@playwright/test'
import { crmUrl, portalUrl } from './addresses.ts'

/**
 * Sends a form of the sandbox's staff page, as the lender's staff would. `path` is, for example,
 * `/leads/{loid}/status`. Returns the record's id in the CRM.
 */
export async function actAsStaff(path: string, form: Record<string, string>, crm = crmUrl): Promise<string> {
  const body = new URLSearchParams(form)
  const answer = await fetch(crm + path, { method: 'POST', body, redirect: 'manual' })
  const to = new URL(answer.headers.get('location') ?? '', crm)
  expect(to.searchParams.get('problem'), path).toBeNull()
  expect(answer.status, path).toBe(303)
  return to.pathname.split('/').at(-1) ?? ''
}

/** Syncs the partner, so that the portal has all of the partner's records from the CRM. */
export async function pullFromCrm(token: string, portal = portalUrl): Promise<void> {
  const answer = await fetch(`${portal}/api/crm/sync`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
  })
  expect(answer.status).toBe(200)
}
