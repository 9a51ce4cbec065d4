/** Letters that people write without their stroke, and ligatures that Unicode does not take apart. */
const PLAIN_LETTERS: Record<string, string> = {
  ł: 'l',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ħ: 'h',
  ŧ: 't',
  æ: 'ae',
  œ: 'oe',
  ς: 'σ',
}
const PLAIN_PATTERN = new RegExp(`[${Object.keys(PLAIN_LETTERS).join('')}]`, 'g')

/**
 * Folds a text for comparing, as people see it (D142): without case, marks, invisible signs, quotes and apostrophes,
 * with a blank for every dash and slash, and with one spelling of 'Pty Ltd'. Stored texts and questions are both folded
 * here. Folding a folded text changes nothing.
 */
export function fold(text: string): string {
  return foldSigns(text)
    .replace(/(?<![\p{L}\p{N}])(?:proprietary|pty)(?![\p{L}\p{N}])\.*/gu, 'pty')
    .replace(/(?<![\p{L}\p{N}])(?:limited|ltd)(?![\p{L}\p{N}])\.*/gu, 'ltd')
}

/** Folds as `fold` does, but leaves 'Proprietary' and 'Limited' as they are written. */
export function foldSigns(text: string): string {
  return withoutSigns(text)
    .replace(/(?<![\p{L}\p{N}])p ?\/ ?l(?![\p{L}\p{N}])/gu, 'pty ltd')
    .replace(/[\p{Pd}\u2043\u2212/\u2044\u2215\u29f8\s]+/gu, ' ')
    .trim()
}

function withoutSigns(text: string): string {
  // Most texts are plain ASCII, and for these the rest changes nothing.
  if (/^[\x20-\x7e]*$/.test(text)) return text.toLowerCase().replace(/["'`]/g, '')
  return (
    text
      .normalize('NFKD')
      // Marks go before the case is folded, because the capital of a letter with an iota below has a whole iota.
      .replace(/\p{M}/gu, '')
      // Through upper case, because ß and ı have the capitals of ss and i. First to lower case, because ẞ has no other.
      .toLowerCase()
      .toUpperCase()
      .toLowerCase()
      .normalize('NFKD')
      .replace(/[\t-\r\x85]/g, ' ')
      .replace(/["'`´ʹ-ˀˈˊˋ‘-‟′-‷‹›«»〝-〟꞉]|[\p{M}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '')
      .replace(PLAIN_PATTERN, (letter) => PLAIN_LETTERS[letter] ?? letter)
      // Puts the syllables of Hangul together again, which are a third as long.
      .normalize('NFC')
  )
}
