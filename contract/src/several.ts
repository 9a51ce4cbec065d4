import { CHOICE_LENGTH_MAX } from './limits.ts'

/** Stands between the values of a filter that takes several. No status or stage has it. */
const BETWEEN = '|'
export const CHOICES_MAX = 20
/** The longest text of a filter that takes several values. */
export const CHOICES_LENGTH_MAX = CHOICES_MAX * (CHOICE_LENGTH_MAX + 1)

/** The values of a filter that takes several, each once, such as `Contacted|Pre Call`. */
export function separateChoices(text: string): string[] {
  const values = text.split(BETWEEN).map((value) => value.trim())
  return [...new Set(values.filter((value) => value !== ''))]
}

export function writeChoices(values: readonly string[]): string {
  return separateChoices(values.join(BETWEEN)).join(BETWEEN)
}
