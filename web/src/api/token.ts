/**
 * The session's token, which calls send unless their route needs no caller. It is in the browser's storage, so that all
 * tabs share one session.
 */
const TOKEN_KEY = 'auth_token'
const SINCE_KEY = 'auth_token_since'
/**
 * The id of the person that the token belongs to. It is stored, so a reloaded page knows at once whose drafts to show.
 */
const PERSON_KEY = 'auth_person'
/** How the last session ended: `refused` by the server, or `signed-out`. */
const END_KEY = 'auth_end'

export interface TokenChange {
  token: string | null
  /** True if another tab signed in or out. */
  fromOtherTab: boolean
  /** True if the server, not the person, ended the session. Always false for a change from another tab. */
  isRefused: boolean
}

type Listener = (change: TokenChange) => void
const listeners = new Set<Listener>()
/**
 * The end of a session that no listener has heard of yet. A page's loader makes calls before the app is drawn, so a
 * session can end before there is a listener.
 */
let unheard: TokenChange | undefined

export function readToken(): string | null {
  return localStorage.getItem(TOKEN_KEY)
}

export function storeToken(token: string) {
  localStorage.setItem(SINCE_KEY, String(Date.now()))
  localStorage.setItem(TOKEN_KEY, token)
  announce({ token, fromOtherTab: false, isRefused: false })
}

export function readPersonId(): string | null {
  return readToken() === null ? null : localStorage.getItem(PERSON_KEY)
}

/** Call this before `storeToken`, because other tabs react as soon as the token is stored. */
export function storePersonId(personId: string) {
  localStorage.setItem(PERSON_KEY, personId)
}

/**
 * Removes the token. If `rejected` is given, removes only that token, so that a late answer to an old token does not
 * end a newer session.
 */
export function dropToken(rejected?: string) {
  const token = readToken()
  if (token === null || (rejected !== undefined && rejected !== token)) return
  // The reason is stored before the token is removed, because other tabs react to the removal.
  localStorage.setItem(END_KEY, rejected === undefined ? 'signed-out' : 'refused')
  localStorage.removeItem(PERSON_KEY)
  localStorage.removeItem(TOKEN_KEY)
  localStorage.removeItem(SINCE_KEY)
  announce({ token: null, fromOtherTab: false, isRefused: rejected !== undefined })
}

/** Whether the last session ended because the person signed out, in this tab or another. */
export function hasSignedOut(): boolean {
  return localStorage.getItem(END_KEY) === 'signed-out'
}

/** How long this browser has had the token. If no start was stored, the token is treated as new. */
export function tokenAgeMs(): number {
  const since = Number(localStorage.getItem(SINCE_KEY))
  if (since > 0) return Date.now() - since
  localStorage.setItem(SINCE_KEY, String(Date.now()))
  return 0
}

export function onTokenChange(listener: Listener): () => void {
  function handleStorage(event: StorageEvent) {
    // The key is null when the whole storage was cleared.
    if (event.key === TOKEN_KEY || event.key === null) {
      listener({ token: readToken(), fromOtherTab: true, isRefused: false })
    }
  }
  listeners.add(listener)
  if (unheard) listener(unheard)
  unheard = undefined
  window.addEventListener('storage', handleStorage)
  return () => {
    listeners.delete(listener)
    window.removeEventListener('storage', handleStorage)
  }
}

function announce(change: TokenChange) {
  unheard = listeners.size === 0 && change.token === null ? change : undefined
  for (const listener of listeners) listener(change)
}
