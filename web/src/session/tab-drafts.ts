const PREFIX = 'draft:'

/** The unfinished text under this name in this tab, or blank. It survives a reload, but not the end of the session. */
export function readTabDraft(name: string): string {
  return sessionStorage.getItem(PREFIX + name) ?? ''
}

/** A blank text ends the draft. */
export function keepTabDraft(name: string, text: string) {
  if (text === '') sessionStorage.removeItem(PREFIX + name)
  else sessionStorage.setItem(PREFIX + name, text)
}

/** Leaves nothing for the next person who signs in. */
export function dropTabDrafts() {
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(PREFIX)) sessionStorage.removeItem(key)
}
