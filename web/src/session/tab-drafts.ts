const PREFIX = 'draft:'

/** What was begun under this name in this tab and is not done yet; blank for nothing. A reload leaves it, the end of the session does not. */
export function readTabDraft(name: string): string {
  return sessionStorage.getItem(PREFIX + name) ?? ''
}

/** A blank text ends the draft. */
export function keepTabDraft(name: string, text: string) {
  if (text === '') sessionStorage.removeItem(PREFIX + name)
  else sessionStorage.setItem(PREFIX + name, text)
}

/** Nothing is left for whoever signs in next. */
export function dropTabDrafts() {
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(PREFIX)) sessionStorage.removeItem(key)
}
