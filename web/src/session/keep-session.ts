import { refreshSession } from '@portal/contract/accounts.ts'
import type { QueryClient } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import { onTokenChange, readToken, storeToken, tokenAgeMs } from '../api/token.ts'
import { sessionQuery } from './session.queries.ts'
import { dropOthersDrafts } from './tab-drafts.ts'

const REFRESH_AGE_MS = 12 * 60 * 60_000
const CHECK_EVERY_MS = 10 * 60_000

interface SessionEvents {
  /**
   * The session ended, here or in another tab. `isRefused` means that the server refused the token and nobody signed
   * out.
   */
  onEnd: (isRefused: boolean) => void
  /** Another tab signed in, and this tab showed another person or nobody. */
  onBeginElsewhere: () => void
}

/**
 * Verifies the session now, every ten minutes, and whenever the tab becomes visible or the connection returns. A hidden
 * tab waits. Also renews the token before it expires. Returns a function that stops this.
 */
export function keepSession(queryClient: QueryClient, { onEnd, onBeginElsewhere }: SessionEvents): () => void {
  async function check() {
    if (readToken() === null) return
    await queryClient.query({ ...sessionQuery(), staleTime: 0 }).catch(ignore)
    await refreshIfOld().catch(ignore)
  }

  async function adoptOtherTab() {
    const before = queryClient.getQueryData(sessionQuery().queryKey)
    await check()
    const now = queryClient.getQueryData(sessionQuery().queryKey)
    if (before?.personId === now?.personId) return
    dropOthersDrafts()
    onBeginElsewhere()
  }

  function handleVisibility() {
    if (document.visibilityState === 'visible') void check()
  }

  const stopListening = onTokenChange(({ token, fromOtherTab, isRefused }) => {
    if (token === null) {
      dropOthersDrafts()
      onEnd(isRefused)
    } else if (fromOtherTab) {
      void adoptOtherTab()
    }
  })
  // While the tab was closed, the session may have ended and another person may have signed in.
  dropOthersDrafts()
  const timer = setInterval(handleVisibility, CHECK_EVERY_MS)
  document.addEventListener('visibilitychange', handleVisibility)
  window.addEventListener('online', handleVisibility)
  void check()

  return () => {
    stopListening()
    clearInterval(timer)
    document.removeEventListener('visibilitychange', handleVisibility)
    window.removeEventListener('online', handleVisibility)
  }
}

/**
 * Only one tab at a time refreshes. The next tab that gets the lock finds a new token and does nothing. Pages loaded
 * over plain http have no locks, so two tabs may refresh at once. The older token is valid for another 30 seconds
 * (D12).
 */
async function refreshIfOld() {
  if (tokenAgeMs() < REFRESH_AGE_MS) return
  if ('locks' in navigator) await navigator.locks.request('session-refresh', refresh)
  else await refresh()
}

async function refresh() {
  if (readToken() === null || tokenAgeMs() < REFRESH_AGE_MS) return
  const { token } = await call(refreshSession)
  storeToken(token)
}

/** Errors need no handling here. A 401 has already ended the session, and other errors do not end it. */
function ignore() {}
