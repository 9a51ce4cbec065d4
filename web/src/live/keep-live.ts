import type { QueryClient } from '@tanstack/react-query'
import { onTokenChange, readPersonId, readToken } from '../api/token.ts'

/** The stream starts late, so that it does not delay the first page. */
const BEGIN_AFTER_MS = 1_000

/** Follows events while a person is signed in. Returns a function that ends this. */
export function keepLive(queryClient: QueryClient): () => void {
  let following: AbortController | undefined
  let followedBy: string | null = null

  function begin() {
    following = new AbortController()
    followedBy = readPersonId()
    const { signal } = following
    setTimeout(() => void start(signal), BEGIN_AFTER_MS)
  }

  async function start(signal: AbortSignal) {
    if (signal.aborted) return
    // If the code fails to load, the page works without live events.
    const module = await import('./live.ts').catch(() => undefined)
    if (!signal.aborted) module?.startLive(queryClient, signal)
  }

  function end() {
    following?.abort()
    following = undefined
  }

  const stopListening = onTokenChange(({ token }) => {
    // A stream belongs to the person whose token opened it.
    if (token === null || readPersonId() !== followedBy) end()
    if (token !== null && !following) begin()
  })
  if (readToken() !== null) begin()
  return () => {
    stopListening()
    end()
  }
}
