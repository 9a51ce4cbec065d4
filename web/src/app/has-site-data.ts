const PROBE = 'portal-probe'

/** Whether the browser lets the portal store its session and drafts. People can forbid this for a site or for all sites. */
export function hasSiteData(): boolean {
  try {
    for (const storage of [localStorage, sessionStorage]) {
      storage.setItem(PROBE, '')
      storage.removeItem(PROBE)
    }
    return true
  } catch {
    return false
  }
}
