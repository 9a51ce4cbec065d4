/** What a system may do with an API key (D84). */
export const KEY_RIGHTS = ['submit', 'read'] as const
export type KeyRight = (typeof KEY_RIGHTS)[number]

export const KEY_RIGHT_NAMES: Record<KeyRight, string> = { submit: 'Submit', read: 'Read' }

/** The explanations that /api-keys shows. */
export const KEY_RIGHT_TEXTS: Record<KeyRight, string> = {
  submit: 'Submits leads and deals, and reads the status of one that it submitted.',
  read: 'Reads leads and deals, and what changed.',
}

/** For example `may submit and read`. */
export function rightsText(rights: readonly KeyRight[]): string {
  return `may ${rights.join(' and ')}`
}
