/** The weights of a tax file number's nine digits, whose sum is a multiple of eleven. */
const WEIGHTS = [1, 4, 3, 7, 5, 8, 6, 9, 10]
/** Nine digits, in groups or not, that are no part of a longer number such as an ABN. */
const NINE_DIGITS = /(?<![\d.])(?<!\d[ -])\d{3}[ -]?\d{3}[ -]?\d{3}(?!\d)/g
const WORDS = /\btfn|tfn\b|tax[\s_-]*file|tax[\s_-]*(?:no|num)/i
/** How far from the digits the words may stand. */
const NEAR = 60

/**
 * Whether a text shows a tax file number: nine digits with its checksum, and its words near them. The lender must not get
 * one (D107).
 */
export function showsTaxFileNumber(text: string): boolean {
  const plain = text
    .normalize('NFKC')
    .replace(/[_\p{Zs}]/gu, ' ')
    .replace(/\p{Pd}/gu, '-')
  return [...plain.matchAll(NINE_DIGITS)].some(({ 0: found, index }) => {
    const sum = found.replace(/\D/g, '').split('').map(Number)
    const isChecked = sum.reduce((total, digit, at) => total + digit * (WEIGHTS[at] ?? 0), 0) % 11 === 0
    return isChecked && WORDS.test(plain.slice(Math.max(0, index - NEAR), index + found.length + NEAR))
  })
}
