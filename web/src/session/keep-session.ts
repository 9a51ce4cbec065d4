import { refreshSession } from '@portal/contract/accounts.ts'
import type { QueryClient } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import { onTokenChange, readPersonId, readToken, storeToken, tokenAgeMs } from '../api/token.ts'
import { sessionQuery } from './session.queries.ts'
import { dropOthersDrafts } from './tab-drafts.ts'

const REFRESH_AGE_MS = 12 * 60 * 60_000
const CHECK_EVERY_MS = 10 * 60_000
/** The first page has already asked who is signed in. */
const ASKED_JUST_NOW_MS = 5_000
/**
 * If the answer to a refresh is lost, the old token is valid for only 30 seconds more (D12). All attempts and the
 * pauses between them fit into that time. A repeat gets the same new token (D54).
 */
const REFRESH_TRIES = 3
const REFRESH_TRY_MS = 7_000
const REFRESH_PAUSE_MS = 2_000

interface SessionEvents {
  /**
   * The session ended, here or in another tab. `isRefused` is true only if it ended here because the server refused the
   * token.
   */
  onEnd: (isRefused: boolean) => void
  /** Another tab signed in a person, and this tab showed somebody else or nobody. */
  onBeginElsewhere: () => void
}

/**
 * Verifies the session now, every ten minutes, and whenever the tab becomes visible or the connection returns. A hidden
 * tab waits. Also renews the token before it expires. Returns a function that stops this.
 */
export function keepSession(queryClient: QueryClient, { onEnd, onBeginElsewhere }: SessionEvents): () => void {
  /** The person whose data this tab shows, or null if nobody is signed in or the person is not known yet. */
  let shown = readPersonId()

  async function check(staleTime = 0) {
    if (readToken() === null) return
    await queryClient.query({ ...sessionQuery(), staleTime }).catch(ignore)
    shown ??= readPersonId()
    await refreshIfOld().catch(ignore)
  }

  /** The other tab has stored the new person's id, so nothing needs to be verified first. */
  function adoptOtherTab() {
    const before = shown
    shown = readPersonId()
    if (before === null || before !== shown) onBeginElsewhere()
    void check()
  }

  function handleVisibility() {
    if (document.visibilityState === 'visible') void check()
  }

  const stopListening = onTokenChange(({ token, fromOtherTab, isRefused }) => {
    dropOthersDrafts()
    if (token === null) {
      shown = null
      onEnd(isRefused)
    } else if (fromOtherTab) {
      adoptOtherTab()
    } else {
      shown = readPersonId()
    }
  })
  // While the tab was closed, the session may have ended and another person may have signed in.
  dropOthersDrafts()
  const timer = setInterval(handleVisibility, CHECK_EVERY_MS)
  document.addEventListener('visibilitychange', handleVisibility)
  window.addEventListener('online', handleVisibility)
  void check(ASKED_JUST_NOW_MS)

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
  if ('locks' in navigator) await navigator.locks.request('session-refresh', () => refresh())
  else await refresh()
}

async function refresh(triesLeft = REFRESH_TRIES): Promise<void> {
  const old = readToken()
  if (old === null || tokenAgeMs() < REFRESH_AGE_MS) return
  const refreshed = await call(refreshSession, { signal: AbortSignal.timeout(REFRESH_TRY_MS) }).catch(ignore)
  if (!refreshed) {
    if (triesLeft === 1) return
    await new Promise((resolve) => setTimeout(resolve, REFRESH_PAUSE_MS))
    return refresh(triesLeft - 1)
  }
  const { token } = refreshed
  // A late answer must not undo a sign-out or replace another person's session.
  if (readToken() === old) storeToken(token)
}

/** Errors need no handling here. A 401 has already ended the session, and other errors do not end it. */
function ignore() {}
