import Bowser from 'bowser'

/** Longer than any browser's own, and short enough to be read in no time. */
const USER_AGENT_LENGTH_MAX = 512

const BROWSERS: ReadonlySet<string | undefined> = new Set(Object.values(Bowser.BROWSER_MAP))
const SYSTEMS: ReadonlySet<string | undefined> = new Set(Object.values(Bowser.OS_MAP))

/**
 * Browser and system in words, `Safari on iOS`, if they are known ones: text that a caller makes up is not copied. Null
 * if neither is known.
 */
export function browserOf(userAgent: string | undefined): string | null {
  const text = userAgent?.slice(0, USER_AGENT_LENGTH_MAX)
  if (!text) return null
  const { browser, os } = Bowser.parse(text)
  const known = [BROWSERS.has(browser.name) && browser.name, SYSTEMS.has(os.name) && os.name]
  return known.filter(Boolean).join(' on ') || null
}
