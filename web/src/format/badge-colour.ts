export type BadgeColour = 'primary' | 'success' | 'warning' | 'error' | 'secondary'

/** Names that the specification spells out (section 4). */
const EXACT: Record<string, BadgeColour> = {
  'new lead': 'primary',
  'not contacted': 'primary',
  qualified: 'success',
  'pre qualified': 'success',
  'lost lead': 'error',
  'not qualified': 'error',
  'junk lead': 'error',
  duplicate: 'error',
  're-engage': 'secondary',
}

/** The words that give a longer name its colour. A more specific word comes before the words that it contains (D21). */
const WORDS: [word: string, colour: BadgeColour][] = [
  ['not contacted', 'primary'],
  ['not qualified', 'error'],
  ['pre qualified', 'success'],
  ['lost lead', 'error'],
  ['junk lead', 'error'],
  ['new lead', 'primary'],
  ['re-engage', 'secondary'],
  ['duplicate', 'error'],
  ['pre call', 'warning'],
  ['attempting', 'warning'],
  ['contact', 'warning'],
  ['qualified', 'success'],
  ['pending', 'warning'],
  ['waiting', 'warning'],
  ['consulting', 'warning'],
  ['information received', 'warning'],
  ['approved', 'success'],
  ['funded', 'success'],
  ['closed', 'success'],
]

/** The colour of a lead's status or a deal's stage. A name without a known word is grey. */
export function badgeColour(name: string | null | undefined): BadgeColour {
  const text = (name ?? '').trim().toLowerCase()
  return EXACT[text] ?? WORDS.find(([word]) => text.includes(word))?.[1] ?? 'secondary'
}
