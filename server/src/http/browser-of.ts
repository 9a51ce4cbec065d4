import Bowser from 'bowser'

/** Longer than any browser sends, and short enough to read in no time. */
const USER_AGENT_LENGTH_MAX = 512

const BROWSERS: ReadonlySet<string | undefined> = new Set(Object.values(Bowser.BROWSER_MAP))
const SYSTEMS: ReadonlySet<string | undefined> = new Set(Object.values(Bowser.OS_MAP))

/**
 * Browser and system in words, such as `Safari on iOS`. Only known ones are named, because a caller can make up the
 * text. Null if neither is known.
 */
export function browserOf(userAgent: string | undefined): string | null {
  const text = userAgent?.slice(0, USER_AGENT_LENGTH_MAX)
  if (!text) return null
  const { browser, os } = Bowser.parse(text)
  const known = [BROWSERS.has(browser.name) && browser.name, SYSTEMS.has(os.name) && os.name]
  return known.filter(Boolean).join(' on ') || null
}
