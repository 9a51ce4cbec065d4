import { domainToUnicode } from 'node:url'
import { comparedEmail } from '@portal/contract/text.ts'

/**
 * The spellings under which an account with this address may be stored: as given, in the compared form, and as earlier
 * versions stored what people typed.
 */
export function emailSpellings(email: string): string[] {
  const given = email.trim().toLowerCase()
  const compared = comparedEmail(email)
  const at = compared.lastIndexOf('@') + 1
  const readable = compared.slice(0, at) + domainToUnicode(compared.slice(at))
  const spellings = [given, compared, readable].flatMap((text) => [text, text.normalize('NFD')])
  return [...new Set(spellings)]
}
