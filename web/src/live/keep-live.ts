import type { QueryClient } from '@tanstack/react-query'
import { onTokenChange, readPersonId, readToken } from '../api/token.ts'

/** The stream starts late, so that it does not delay the first page. */
const BEGIN_AFTER_MS = 1_000
/** If the code does not load, the page works without live events, and tries again after this time. */
const AGAIN_AFTER_MS = 5_000

/** Follows events while a person is signed in. Returns a function that ends this. */
export function keepLive(queryClient: QueryClient): () => void {
  let following: AbortController | undefined
  let followedBy: string | null = null

  function begin(startedAt: number) {
    following = new AbortController()
    followedBy = readPersonId()
    const { signal } = following
    setTimeout(() => void start(signal, startedAt), BEGIN_AFTER_MS)
  }

  async function start(signal: AbortSignal, startedAt: number) {
    if (signal.aborted) return
    const module = await import('./live.ts').catch(() => undefined)
    if (!module) setTimeout(() => void start(signal, startedAt), AGAIN_AFTER_MS)
    else if (!signal.aborted) module.startLive(queryClient, signal, startedAt)
  }

  function end() {
    following?.abort()
    following = undefined
  }

  const stopListening = onTokenChange(({ token }) => {
    // A stream belongs to the person whose token opened it.
    if (token === null || readPersonId() !== followedBy) end()
    if (token !== null && !following) begin(Date.now())
  })
  // The document begins the first calls before the app's code arrives.
  if (readToken() !== null) begin(performance.timeOrigin)
  return () => {
    stopListening()
    end()
  }
}
