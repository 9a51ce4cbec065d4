const WAIT_MS_MAX = 120_000
const LOOK_AGAIN_MS = 10
const LOOK_AGAIN_MS_MAX = 250

/**
 * Calls `look` until it finds something, and returns the result. After a timeout it throws, with the last error as the
 * cause. It looks less often the longer it waits, because each look takes time from other tests.
 */
export async function waitFor<Found>(
  what: string,
  look: () => Promise<Found | undefined | false>,
): Promise<NonNullable<Exclude<Found, false>>> {
  const begun = Date.now()
  let lastError: unknown
  for (let waited = 0; waited < WAIT_MS_MAX; waited = Date.now() - begun) {
    try {
      const found = await look()
      if (found) return found as NonNullable<Exclude<Found, false>> // the value is truthy, which no type can express
    } catch (error) {
      lastError = error
    }
    await new Promise((resolve) => setTimeout(resolve, Math.min(LOOK_AGAIN_MS + waited / 8, LOOK_AGAIN_MS_MAX)))
  }
  throw new Error(`gave up waiting for ${what}`, { cause: lastError })
}
