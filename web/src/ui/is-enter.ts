import type { KeyboardEvent } from 'react'

/** What browsers report for a key that the input method has taken. Safari reports the last Enter of a word only so. */
const TAKEN = 229

/** Whether the person pressed Enter for the page, and not to end a word in an input method (D149). */
export function isEnter({ key, nativeEvent }: KeyboardEvent): boolean {
  return key === 'Enter' && !nativeEvent.isComposing && nativeEvent.keyCode !== TAKEN
}
