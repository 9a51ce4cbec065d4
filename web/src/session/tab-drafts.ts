import { readPersonId } from '../api/token.ts'

const PREFIX = 'draft:'

/**
 * Returns the unfinished text under this name in this tab, or blank. The draft survives a reload but not the end of the
 * session, and only the person who wrote it can read it.
 */
export function readTabDraft(name: string): string {
  return sessionStorage.getItem(ownPrefix() + name) ?? ''
}

/** A blank text removes the draft. */
export function keepTabDraft(name: string, text: string) {
  if (text === '') sessionStorage.removeItem(ownPrefix() + name)
  else sessionStorage.setItem(ownPrefix() + name, text)
}

/** Removes other people's drafts. If nobody is signed in, removes all drafts. */
export function dropOthersDrafts() {
  const isKept = (key: string) => readPersonId() !== null && key.startsWith(ownPrefix())
  for (const key of Object.keys(sessionStorage)) {
    if (key.startsWith(PREFIX) && !isKept(key)) sessionStorage.removeItem(key)
  }
}

function ownPrefix(): string {
  return `${PREFIX}${readPersonId() ?? ''}:`
}
