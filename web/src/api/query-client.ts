import { focusManager, QueryClient } from '@tanstack/react-query'
import { Failure } from './failure.ts'

const MINUTE_MS = 60_000
const RETRIES_MAX = 2
/** A page does not repeat a call that its loader began and that failed less than this long ago. */
const FAILED_JUST_NOW_MS = 1_000

/**
 * Lists, records and their histories become stale sooner than other data, and are fetched again when the person returns
 * (section 4).
 */
export const LIST_FRESHNESS = { staleTime: 30_000, refetchOnMount: true, refetchOnWindowFocus: true } as const

/**
 * A window that gets focus also fetches stale data (section 4), because two windows side by side both stay visible.
 */
focusManager.setEventListener((handleFocus) => {
  const lookAgain = () => handleFocus()
  window.addEventListener('visibilitychange', lookAgain)
  window.addEventListener('focus', lookAgain)
  return () => {
    window.removeEventListener('visibilitychange', lookAgain)
    window.removeEventListener('focus', lookAgain)
  }
})

export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 5 * MINUTE_MS,
        gcTime: 10 * MINUTE_MS,
        retry: shouldRetry,
        retryOnMount: ({ state }) => Date.now() - state.errorUpdatedAt > FAILED_JUST_NOW_MS,
        // Being offline is a failure with its own text, not an endless wait.
        networkMode: 'always',
        // The network mode `always` turns this off by default.
        refetchOnReconnect: true,
      },
      mutations: { retry: false, networkMode: 'always' },
    },
  })
}

/** A refused call is not repeated, because the server would refuse it again. An offline browser cannot call at all. */
function shouldRetry(failures: number, error: Error): boolean {
  if (error instanceof Failure && (error.code === 'OFFLINE' || (error.status >= 400 && error.status < 500)))
    return false
  return failures < RETRIES_MAX
}
