import { isAbn, normalizeBusinessNumber } from '@portal/contract/abn.ts'
import { phoneReadings } from '@portal/contract/phone.ts'
import { comparedEmail } from '@portal/contract/text.ts'

/** The search terms for an applicant. Input that can be both a phone number and an ABN gives both. */
export interface Applicant {
  email: string | null
  /** Each number in E.164, and its national digits without the leading 0. */
  phones: { e164: string; national: string }[]
  abn: string | null
}

/** Reads the operator's input. Returns undefined if it is neither an email address nor a phone number nor an ABN. */
export function readApplicant(word: string): Applicant | undefined {
  const text = word.trim()
  const email = /^[^\s@]+@[^\s@]+$/.test(text) ? comparedEmail(text) : null
  const phones = phoneReadings(text).map(({ e164 }) => ({ e164, national: e164.slice(3) }))
  const abn = isAbn(text) ? normalizeBusinessNumber(text) : null
  return email || phones.length > 0 || abn ? { email, phones, abn } : undefined
}

/** Whether a text is the applicant's email address, phone number or ABN, however it is written. */
export function isOf({ email, phones, abn }: Applicant, text: string | null): boolean {
  if (text === null) return false
  if (email !== null && comparedEmail(text) === email) return true
  if (abn !== null && text.replaceAll(/\D/g, '') === abn) return true
  return phones.length > 0 && phoneReadings(text).some((one) => phones.some(({ e164 }) => e164 === one.e164))
}

/** Whether any value in a JSON body is the applicant's email address, phone number or ABN. */
export function isNamedIn(applicant: Applicant, body: string): boolean {
  const isNamed = (value: unknown): boolean => {
    if (typeof value === 'object' && value !== null) return Object.values(value).some(isNamed)
    return (typeof value === 'string' || typeof value === 'number') && isOf(applicant, String(value))
  }
  try {
    return isNamed(JSON.parse(body))
  } catch {
    // A body that is not JSON has no fields to compare, so the match that the query found in its text has to suffice.
    return true
  }
}
