/**
 * The router answers code that does not come by loading the document anew, in case a newer version of the portal replaced
 * that code. With the server out of reach this would leave the browser's own error page; so the import comes back empty,
 * the page breaks, and `PageCrash` sees to the rest. Answers a function that stops it.
 */
export function keepDocument(): () => void {
  function handlePreloadError(event: Event) {
    event.preventDefault()
  }
  window.addEventListener('vite:preloadError', handlePreloadError)
  return () => window.removeEventListener('vite:preloadError', handlePreloadError)
}
