import { readPersonId } from '../api/token.ts'

const PREFIX = 'draft:'
const ATTEMPT = 'attempt:'

/**
 * Returns the unfinished text under this name in this tab, or blank. The draft survives a reload but not the end of the
 * session, and only the person who wrote it can read it.
 */
export function readTabDraft(name: string): string {
  return sessionStorage.getItem(ownPrefix() + name) ?? ''
}

/** A blank text removes the draft and its attempt. */
export function keepTabDraft(name: string, text: string) {
  keep(name, text)
  if (text === '') keep(ATTEMPT + name, '')
}

/** The last attempt to submit the draft under this name, for `useIdempotencyKey`. Blank if there was none. */
export function readTabAttempt(name: string): string {
  return readTabDraft(ATTEMPT + name)
}

export function keepTabAttempt(name: string, attempt: string) {
  keep(ATTEMPT + name, attempt)
}

/** Removes other people's drafts. If nobody is signed in, removes all drafts. */
export function dropOthersDrafts() {
  const isKept = (key: string) => readPersonId() !== null && key.startsWith(ownPrefix())
  for (const key of Object.keys(sessionStorage)) {
    if (key.startsWith(PREFIX) && !isKept(key)) sessionStorage.removeItem(key)
  }
}

function keep(name: string, text: string) {
  if (text === '') sessionStorage.removeItem(ownPrefix() + name)
  else sessionStorage.setItem(ownPrefix() + name, text)
}

function ownPrefix(): string {
  return `${PREFIX}${readPersonId() ?? ''}:`
}
