import { cleanCode } from './clean-text.ts'

const ABN_WEIGHTS = [10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19]

/** A business number as stored: the digits alone if they are as many as an ABN or NZBN has, otherwise without spaces. */
export function normalizeBusinessNumber(text: string): string {
  const written = cleanCode(text).normalize('NFKC').replace(/\s+/g, '')
  const digits = written.replace(/\D/g, '')
  return digits.length === 11 || digits.length === 13 ? digits : written
}

/**
 * Whether the text is an ABN: eleven digits whose weighted sum is divisible by 89, after 1 is subtracted from the first
 * digit.
 */
export function isAbn(text: string): boolean {
  const digits = normalizeBusinessNumber(text)
  if (!/^\d{11}$/.test(digits)) return false
  const sum = ABN_WEIGHTS.reduce((total, weight, i) => total + weight * (Number(digits[i]) - (i === 0 ? 1 : 0)), 0)
  return sum % 89 === 0
}

/** Whether the text is a New Zealand Business Number: thirteen digits, the last one a GS1 check digit. */
export function isNzbn(text: string): boolean {
  const digits = normalizeBusinessNumber(text)
  if (!/^\d{13}$/.test(digits)) return false
  const sum = Array.from(digits).reduce((total, digit, i) => total + Number(digit) * (i % 2 === 0 ? 1 : 3), 0)
  return sum % 10 === 0
}

/** The warning about an invalid business number, or null (D20). It never stops a submission. */
export function businessNumberWarning(text: string, iso: 'AU' | 'NZ'): string | null {
  if (text.trim() === '' || isAbn(text)) return null
  if (iso === 'NZ' && isNzbn(text)) return null
  return iso === 'NZ' ? 'This does not look like a valid NZBN' : 'This does not look like a valid ABN'
}
