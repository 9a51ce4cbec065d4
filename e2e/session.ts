import { test as base, expect } from '@playwright/test'
import { readRecentActivity } from '../contract/src/dashboard.ts'
import { listDeals } from '../contract/src/deals.ts'
import { listLeads } from '../contract/src/leads.ts'
import { DEMO_SIGN_IN } from '../server/src/seed-demo.ts'
import { portalUrl } from './addresses.ts'

export interface Demo {
  token: string
  leadLoid: string
  dealLoid: string
}

/** Of the same browsers as all the others: Playwright starts new ones for tests whose workers know something else. */
export const signedOut = base.extend<object, { demo: Demo }>({
  demo: [
    async ({ playwright }, use) => {
      const request = await playwright.request.newContext({ baseURL: portalUrl })
      const { token } = await (await request.post('/api/auth/login', { data: DEMO_SIGN_IN })).json()
      const headers = { authorization: `Bearer ${token}` }
      const ask = async (what: string) => (await (await request.get(`/api/dashboard/${what}`, { headers })).json()).data
      // What the demo's partner does comes last.
      await expect
        .poll(async () => readRecentActivity.answer.parse(await ask('recent-activity')).activities)
        .not.toHaveLength(0)
      const [leads, deals] = await Promise.all(['leads', 'deals'].map(ask))
      const [lead] = listLeads.answer.parse(leads).leads
      const [deal] = listDeals.answer.parse(deals).deals
      await use({ token, leadLoid: lead?.loid ?? '', dealLoid: deal?.loid ?? '' })
      await request.dispose()
    },
    { scope: 'worker' },
  ],
})

/** Every page is the demo partner's, signed in already. The demo is for reading: all tests share it. */
export const test = signedOut.extend({ storageState: ({ demo }, use) => use(stateOf(demo.token)) })

/** What a browser keeps of a session. */
export function stateOf(token: string) {
  return { cookies: [], origins: [{ origin: portalUrl, localStorage: [{ name: 'auth_token', value: token }] }] }
}
