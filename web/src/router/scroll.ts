import type { Location } from './address.ts'

const STORED = 'portal-scroll'
const KEPT_MAX = 200
/** How far the page was scrolled when an entry of the history was left, by the entry's key. */
let left: URLSearchParams | undefined
/** How far the open page is scrolled. A link to an anchor scrolls before anything is told, so this is read too early. */
let present = 0

function positions(): URLSearchParams {
  return (left ??= new URLSearchParams(sessionStorage.getItem(STORED) ?? ''))
}

export function keepScroll({ state: { key } }: Location) {
  const kept = positions()
  kept.delete(key)
  kept.set(key, String(present))
  const [oldest] = kept.keys()
  if (kept.size > KEPT_MAX && oldest !== undefined) kept.delete(oldest)
}

/** Follows the open page, and stores the positions before its document goes. Returns a function that ends this. */
export function followScroll(open: () => Location | undefined): () => void {
  function handleScroll() {
    present = window.scrollY
  }
  function handleHide() {
    const location = open()
    if (location) keepScroll(location)
    sessionStorage.setItem(STORED, String(positions()))
  }
  window.history.scrollRestoration = 'manual'
  window.addEventListener('scroll', handleScroll, { passive: true })
  window.addEventListener('pagehide', handleHide)
  return () => {
    window.removeEventListener('scroll', handleScroll)
    window.removeEventListener('pagehide', handleHide)
  }
}

/** Scrolls to where the entry was left. A new entry begins at its anchor or at the top, if it does not stay where it is. */
export function scrollAfter({ hash, state: { key, keepsScroll } }: Location) {
  const before = positions().get(key)
  if (before !== null) window.scrollTo(0, Number(before))
  else if (document.getElementById(hash)) document.getElementById(hash)?.scrollIntoView()
  else if (!keepsScroll) window.scrollTo(0, 0)
}
