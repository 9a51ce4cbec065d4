import type { QueryClient } from '@tanstack/react-query'
import { onTokenChange, readToken } from '../api/token.ts'

/** The first page has come by then: the stream must not delay it. */
const BEGIN_AFTER_MS = 1_000

/** While somebody is signed in, the page follows what happens. Returns a function that stops it. */
export function keepLive(queryClient: QueryClient): () => void {
  let following: AbortController | undefined

  function begin() {
    following = new AbortController()
    const { signal } = following
    setTimeout(() => void start(signal), BEGIN_AFTER_MS)
  }

  async function start(signal: AbortSignal) {
    if (signal.aborted) return
    // A page that cannot load it shows what it shows.
    const module = await import('./live.ts').catch(() => undefined)
    if (!signal.aborted) module?.startLive(queryClient, signal)
  }

  function end() {
    following?.abort()
    following = undefined
  }

  const stopListening = onTokenChange(({ token }) => {
    if (token === null) end()
    else if (!following) begin()
  })
  if (readToken() !== null) begin()
  return () => {
    stopListening()
    end()
  }
}
