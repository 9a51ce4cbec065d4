import Bowser from 'bowser'

/** Longer than any browser's header, and short enough to be parsed quickly. */
const USER_AGENT_LENGTH_MAX = 512

const BROWSERS: ReadonlySet<string | undefined> = new Set(Object.values(Bowser.BROWSER_MAP))
const SYSTEMS: ReadonlySet<string | undefined> = new Set(Object.values(Bowser.OS_MAP))

/**
 * Names the browser and the system, such as `Safari on iOS`. Only known names appear, because a caller can make up the
 * header. Null if neither is known.
 */
export function browserOf(userAgent: string | undefined): string | null {
  const text = userAgent?.slice(0, USER_AGENT_LENGTH_MAX)
  if (!text) return null
  const { browser, os } = Bowser.parse(text)
  const known = [BROWSERS.has(browser.name) && browser.name, SYSTEMS.has(os.name) && os.name]
  return known.filter(Boolean).join(' on ') || null
}
