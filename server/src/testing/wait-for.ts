const WAIT_MS_MAX = 15_000
const LOOK_EVERY_MS = 20

/**
 * Calls `look` until it finds something, and returns the result. After a timeout it throws, with the last error as the
 * cause.
 */
export async function waitFor<Found>(
  what: string,
  look: () => Promise<Found | undefined | false>,
): Promise<NonNullable<Exclude<Found, false>>> {
  const deadline = Date.now() + WAIT_MS_MAX
  let lastError: unknown
  while (Date.now() < deadline) {
    try {
      const found = await look()
      if (found) return found as NonNullable<Exclude<Found, false>> // the value is truthy, which no type can express
    } catch (error) {
      lastError = error
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
  }
  throw new Error(`gave up waiting for ${what}`, { cause: lastError })
}
