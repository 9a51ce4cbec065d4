import { expect, type Page } from '@playwright/test'
import { crmUrl } from './addresses.ts'

/** Such calls get no answer until the returned function is called: a page while it waits. */
export async function holdAnswers(page: Page, calls: string | RegExp): Promise<() => void> {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  await page.route(calls, async (route) => {
    await released
    await route.fallback()
  })
  return release
}

/** The page hears of nothing by itself: it shows what it asks for. */
export function keepUninformed(page: Page) {
  return page.route(/\/assets\/live-.*\.js$/, (route) => route.abort())
}

interface Refusal {
  status: number
  /** Left out, the answer is no answer of ours: as from a gateway. */
  error?: string
  code?: string
}

/** Such calls are refused until the returned function is called. Without a refusal the connection breaks. */
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
 * The CRM answers 429 to calls whose `METHOD /path` contains this text, with so many seconds to wait, until the returned
 * function is called. All tests share the CRM, so the text should name a record of this test.
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
