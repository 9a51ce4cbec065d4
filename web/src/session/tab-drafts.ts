import { readPersonId } from '../api/token.ts'

const PREFIX = 'draft:'

/** The unfinished text under this name in this tab, or blank. It survives a reload, but not the end of the session, and is for its person alone. */
export function readTabDraft(name: string): string {
  return sessionStorage.getItem(ownPrefix() + name) ?? ''
}

/** A blank text ends the draft. */
export function keepTabDraft(name: string, text: string) {
  if (text === '') sessionStorage.removeItem(ownPrefix() + name)
  else sessionStorage.setItem(ownPrefix() + name, text)
}

/** Leaves nothing of somebody else's: all, where nobody is signed in. */
export function dropOthersDrafts() {
  const isKept = (key: string) => readPersonId() !== null && key.startsWith(ownPrefix())
  for (const key of Object.keys(sessionStorage)) {
    if (key.startsWith(PREFIX) && !isKept(key)) sessionStorage.removeItem(key)
  }
}

function ownPrefix(): string {
  return `${PREFIX}${readPersonId() ?? ''}:`
}
