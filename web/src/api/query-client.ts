import { focusManager, QueryClient } from '@tanstack/react-query'
import { Failure } from './failure.ts'

const MINUTE_MS = 60_000
const RETRIES_MAX = 2
/** A call that a page's loader began and that failed before the page was there is not made again by the page. */
const FAILED_JUST_NOW_MS = 1_000

/** Lists, records and their histories go stale sooner than the rest and are fetched again on return (section 4). */
export const LIST_FRESHNESS = { staleTime: 30_000, refetchOnMount: true, refetchOnWindowFocus: true } as const

/** Two windows side by side both stay visible: clicking into one changes only its focus (section 4). */
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
        // Offline is a failure with a text of its own, not a wait without end.
        networkMode: 'always',
        // This mode turns it off by default.
        refetchOnReconnect: true,
      },
      mutations: { retry: false, networkMode: 'always' },
    },
  })
}

/** A refused call is refused again, and without a connection there is no server to ask. */
function shouldRetry(failures: number, error: Error): boolean {
  if (error instanceof Failure && (error.code === 'OFFLINE' || (error.status >= 400 && error.status < 500)))
    return false
  return failures < RETRIES_MAX
}
