// Runs before the first paint, so that the page never flashes in the colours of the other theme.
try {
  const theme = localStorage.getItem('portal-theme')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
} catch {
  // Without storage the system's preference applies.
}

// If the app's script or style does not arrive, the app cannot help itself. The connection may be broken, or another
// process may have answered, with another version of the portal. A new document solves both problems, as soon as the
// portal answers. A file that is requested later is not of this kind: the app's own pages handle its failure.
let isWaiting = false
addEventListener(
  'error',
  ({ target }) => {
    const isOfDocument = target instanceof Element && target.matches('head > script[type=module], link[rel=stylesheet]')
    const isOurs = isOfDocument && (target.src ?? target.href).startsWith(`${location.origin}/assets/`)
    if (!isOurs || isWaiting || !document.querySelector('#root > .boot')) return
    isWaiting = true
    reloadSoon()
  },
  true,
)

function reloadSoon() {
  setTimeout(async () => {
    try {
      // oxlint-disable-next-line no-restricted-globals -- this file runs before web/src/api, and even without it
      const { ok } = await fetch(location.href, {
        method: 'HEAD',
        cache: 'no-store',
        signal: AbortSignal.timeout(5_000),
      })
      if (ok) location.reload()
      else reloadSoon()
    } catch {
      reloadSoon()
    }
  }, 2_000)
}
