/**
 * Prevents a reload of the document when a page's code does not load. Otherwise the router would reload it, in case a
 * newer version of the portal has replaced the code. If the server is out of reach, a reload would show the browser's
 * own error page. Without the reload, the import returns nothing, the page breaks, and `PageCrash` handles the failure.
 * Returns a function that undoes this.
 */
export function keepDocument(): () => void {
  function handlePreloadError(event: Event) {
    event.preventDefault()
  }
  window.addEventListener('vite:preloadError', handlePreloadError)
  return () => window.removeEventListener('vite:preloadError', handlePreloadError)
}
