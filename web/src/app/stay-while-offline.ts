/**
 * The router answers code that cannot be fetched by loading the whole page again, in case a newer version replaced it.
 * Offline that would leave the browser's own error page; so the import comes back empty, and the page says what is wrong.
 * Answers a function that stops it.
 */
export function stayWhileOffline(): () => void {
  function handlePreloadError(event: Event) {
    if (!navigator.onLine) event.preventDefault()
  }
  window.addEventListener('vite:preloadError', handlePreloadError)
  return () => window.removeEventListener('vite:preloadError', handlePreloadError)
}
