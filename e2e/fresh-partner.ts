import { expect } from '@playwright/test'
import { createLead, readLead } from '../contract/src/leads.ts'
import { portalUrl } from './addresses.ts'
import { type Account, signUp } from './partner.ts'
import { signedOut } from './session.ts'

export interface FreshPartner extends Account {
  token: string
  /** Submits a lead, waits until the CRM has it, and returns its LOID. Missing required fields get arbitrary values. */
  submitLead(lead?: Record<string, unknown>): Promise<string>
}

/** Gives each test a new partner without leads or deals, and a page on which that partner is signed in. */
export const test = signedOut.extend<{ partner: FreshPartner }>({
  partner: async ({ playwright }, use) => {
    const request = await playwright.request.newContext({ baseURL: portalUrl })
    const account = await signUp(request)
    const { email, password } = account
    const { token } = await (await request.post('/api/auth/login', { data: { email, password } })).json()
    const headers = { authorization: `Bearer ${token}` }

    async function submitLead(lead: Record<string, unknown> = {}): Promise<string> {
      const answer = await request.post('/api/dashboard/leads', { headers, data: { ...SOMEBODY, ...lead } })
      expect(answer.status()).toBe(201)
      const { loid } = createLead.answer.parse((await answer.json()).data)
      await expect(async () => {
        const read = await request.get(`/api/crm/lead/${loid}`, { headers })
        expect(readLead.answer.parse((await read.json()).data).lead.crm).toBe('synced')
      }).toPass({ intervals: [100], timeout: 30_000 })
      return loid
    }

    await use({ ...account, token, submitLead })
    await request.dispose()
  },
  token: ({ partner }, use) => use(partner.token),
})

const SOMEBODY = {
  firstName: 'Jo',
  lastName: 'Marsh',
  email: 'jo@saltbush.example',
  phone: '0491 570 156',
  businessName: 'Saltbush Transport',
}
