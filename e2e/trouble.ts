import { expect, type Page } from '@playwright/test'
import { crmUrl } from './addresses.ts'

/** Holds back the answers to these calls until the returned function is called, so that a test sees the page wait. */
export async function holdAnswers(page: Page, calls: string | RegExp): Promise<() => void> {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  await page.route(calls, async (route) => {
    await released
    await route.fallback()
  })
  return release
}

/** Cuts the page off from live events, so it shows only the answers to its calls. */
export function keepUninformed(page: Page) {
  return page.route(/\/assets\/live-.*\.js$/, (route) => route.abort())
}

interface Refusal {
  status: number
  /** If absent, the answer has no body, like a gateway's. */
  error?: string
  code?: string
}

/** Refuses these calls until the returned function is called. Without `refusal`, the connection breaks. */
export async function breakAnswers(
  page: Page,
  calls: string | RegExp,
  refusal?: Refusal,
): Promise<() => Promise<void>> {
  await page.route(calls, (route) => {
    if (!refusal) return route.abort('connectionreset')
    const { status, error, code = 'BROKEN' } = refusal
    return route.fulfill({
      status,
      ...(error === undefined ? { body: '' } : { json: { success: false, error, code } }),
    })
  })
  return () => page.unroute(calls)
}

/**
 * Makes the CRM answer 429 to calls whose `METHOD /path` contains `match`, until the returned function is called. All
 * tests share the CRM, so `match` should name a record of the calling test.
 */
export async function keepCrmBusy(match: string, retryAfterSeconds: number): Promise<() => Promise<void>> {
  async function setFaults(faults: object) {
    const answer = await fetch(`${crmUrl}/sandbox/faults`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(faults),
    })
    expect(answer.status).toBe(200)
  }
  await setFaults({ tooMany: { times: 1_000, retryAfterSeconds, match } })
  return () => setFaults({})
}
