/** Signs that a screen never shows: controls other than tab and line break, and formatting characters. */
const INVISIBLE = /(?![\t\n])[\p{Cc}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/gu

/** The flags of England, Scotland and Wales: a black flag and invisible letters. */
const FLAG = /\u{1f3f4}[\u{e0061}-\u{e007a}]{2,6}\u{e007f}/u
const SELECTOR = /[\u180b-\u180d\u180f\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/u
const JOINER = /[\u200c\u200d]/u

/** A selector changes what the screen shows only after such a character. */
const SELECTOR_IN_PLACE = new RegExp(
  [
    /(?<=[\p{S}\p{Extended_Pictographic}\p{Script=Han}\p{Script=Myanmar}\p{Script=Phags_Pa}])[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/u,
    /(?<=[\d#*])\ufe0f(?=\u20e3)/u,
    /(?<=(?!\p{M})\p{Script=Mongolian})[\u180b-\u180d\u180f]/u,
  ]
    .map(({ source }) => source)
    .join('|'),
  'u',
)
/** A joiner (ZWJ, ZWNJ) changes what the screen shows only inside a word or an emoji. */
const JOINER_IN_PLACE =
  /(?<=[\p{L}\p{M}])[\u200c\u200d](?=[\p{L}\p{M}])|(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f\u{e007f}])\u200d(?=\p{Extended_Pictographic})/u

const OTHER_INVISIBLE = dropUnless(`${FLAG.source}|${SELECTOR.source}|${JOINER.source}`, INVISIBLE)
const STRAY_SELECTOR = dropUnless(SELECTOR_IN_PLACE.source, SELECTOR)
const STRAY_JOINER = dropUnless(JOINER_IN_PLACE.source, JOINER)

const LINE_BREAK = /\r\n?|[\v\f\u0085\u2028\u2029]/g
/** The Braille blank is a letter to Unicode, but nobody sees it. */
const BLANK = /^[\s\u2800]+$/
const PLAIN = /^[\n\x20-\x7e]*$/

/**
 * Text as the portal stores it (D143): in Unicode's composed form (NFC), with line breaks as `\n`, and without signs
 * that nobody sees. The joiners of words and emoji stay.
 */
export function cleanText(text: string): string {
  if (PLAIN.test(text)) return text
  return text
    .replace(LINE_BREAK, '\n')
    .replace(OTHER_INVISIBLE, '$1')
    .replace(STRAY_SELECTOR, '$1')
    .replace(STRAY_JOINER, '$1')
    .normalize('NFC')
    .replace(BLANK, '')
}

/** Whether the value is a text in which nothing can be seen. */
export function isBlank(value: unknown): boolean {
  return typeof value === 'string' && cleanText(value).trim() === ''
}

/** A code, number or address as somebody typed or pasted it, in NFC and without any sign that nobody sees. */
export function cleanCode(text: string): string {
  return text.replace(INVISIBLE, '').normalize('NFC')
}

/** For `replace` with `$1`: what matches `kept` stays, what matches only `dropped` goes. */
function dropUnless(kept: string, dropped: RegExp): RegExp {
  return new RegExp(`(${kept})|${dropped.source}`, 'gu')
}
