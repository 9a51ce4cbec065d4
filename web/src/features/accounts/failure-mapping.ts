import { Failure, UNEXPECTED } from '../../api/failure.ts'

/**
 * Section 8 chooses a text by the words in the server's text. If several words are given, all must occur (D11). Some
 * texts are also chosen by the answer's code or status.
 */
export interface Mapping {
  when: (failure: Failure) => boolean
  text: string
}

export const INACTIVE = 'Your account is inactive. Please contact support.'

/** A suspension shows the lender's reason as it is (D116), whatever words the reason has. */
const isSuspended = hasCode('ACCOUNT_SUSPENDED')

/** The text that belongs to a failure, or the general one with the server's words. */
export function mappedText(error: unknown, mappings: Mapping[], otherwise: string): string {
  if (!(error instanceof Failure)) return UNEXPECTED
  if (error.code === 'OFFLINE' || isSuspended(error)) return error.message
  const text = mappings.find(({ when }) => when(error))?.text
  if (text) return text
  return error.message === otherwise ? otherwise : `${otherwise}: ${error.message}`
}

export function says(...words: string[]) {
  return (failure: Failure) => words.every((word) => failure.message.toLowerCase().includes(word))
}

export function hasCode(code: string) {
  return (failure: Failure) => failure.code === code
}
