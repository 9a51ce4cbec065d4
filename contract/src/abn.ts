const ABN_WEIGHTS = [10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19]

/** A business number as stored: without spaces (D20). */
export function normalizeBusinessNumber(text: string): string {
  return text.replace(/\s+/g, '')
}

/** Eleven digits whose weighted sum, the first digit less one, divides by 89. */
export function isAbn(text: string): boolean {
  const digits = normalizeBusinessNumber(text)
  if (!/^\d{11}$/.test(digits)) return false
  const sum = ABN_WEIGHTS.reduce((total, weight, i) => total + weight * (Number(digits[i]) - (i === 0 ? 1 : 0)), 0)
  return sum % 89 === 0
}

/** A New Zealand Business Number: thirteen digits with a GS1 check digit. */
export function isNzbn(text: string): boolean {
  const digits = normalizeBusinessNumber(text)
  if (!/^\d{13}$/.test(digits)) return false
  const sum = Array.from(digits).reduce((total, digit, i) => total + Number(digit) * (i % 2 === 0 ? 1 : 3), 0)
  return sum % 10 === 0
}

/** The soft warning of D20, or null. It never stops a submission. */
export function businessNumberWarning(text: string, iso: 'AU' | 'NZ'): string | null {
  if (text.trim() === '' || isAbn(text)) return null
  if (iso === 'NZ' && isNzbn(text)) return null
  return iso === 'NZ' ? 'This does not look like a valid NZBN' : 'This does not look like a valid ABN'
}
