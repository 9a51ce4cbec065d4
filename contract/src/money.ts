import { cleanCode } from './clean-text.ts'
import { formatNumber } from './numbers.ts'

/** The currency of every amount. Elsewhere, only the descriptions of the API's fields name it. */
export const CURRENCY = 'AUD'

/** Formats an amount like `$25,000`. An unknown amount is '—', never $0 (D19a). */
export function formatMoney(amount: number | null | undefined): string {
  if (amount === null || amount === undefined) return '—'
  const dollars = Math.round(Math.abs(amount))
  return `${amount < 0 && dollars > 0 ? '-' : ''}$${formatNumber(dollars)}`
}

/** Formats an amount to the cent, like `$1,234.50` (D110). An unknown amount is '—'. */
export function formatCents(amount: number | null): string {
  if (amount === null) return '—'
  const cents = Math.round(Math.abs(amount) * 100)
  const dollars = formatNumber(Math.floor(cents / 100))
  return `${amount < 0 ? '-' : ''}$${dollars}.${String(cents % 100).padStart(2, '0')}`
}

/** Formats an amount like `$25K` or `$1.3M`, for the scale of a chart. */
export function formatMoneyInShort(amount: number): string {
  // The locale is fixed: en-US would write 'A$25K'.
  const short = { style: 'currency', currency: CURRENCY, notation: 'compact', maximumFractionDigits: 1 } as const
  return new Intl.NumberFormat('en-AU', short).format(amount)
}

const AMOUNT = new RegExp(
  String.raw`^(?:AUD ?)?(?:(?:AU?)?\$ ?)?([\d., ']*\d)(?:E([+-]?\d{1,3}))?(?: ?(K|GRAND|THOUSAND)| ?(M|MIL|MIO|MILL|MILLION))?\.?(?: ?AUD| ?(?:AU?)?\$)?$`,
  'u',
)
/** Groups of three digits behind one separator. If the separator is a point, the decimal sign is a comma. */
const GROUPED = /^[1-9]\d{0,2}([., '])\d{3}(?:\1\d{3})*(?:(?!\1)[.,](?<fraction>\d+))?$/
const PLAIN = /^\d*(?:[.,](?<fraction>\d+))?$/
const ONE_POINT = /^\d+\.\d+$/

/**
 * The dollars in a text with one amount, to the cent, or null if the text is anything else (D141): `$50,000.50`,
 * `A$ 50 000`, `50.000,00`, `50k`, `1,5 million` or `5e4`. A point or comma before three digits separates thousands,
 * except that a single point before a unit is a decimal point (`1.234m`). Cents have one or two digits; before a unit
 * or an exponent any number of digits may follow the decimal sign.
 */
export function parseMoney(text: string): number | null {
  const [, number, exponent, thousand, million] = AMOUNT.exec(inPlainSigns(text)) ?? []
  if (number === undefined) return null
  const unit = thousand ? 3 : million ? 6 : undefined
  if (exponent !== undefined && (unit !== undefined || !/^\d*\.?\d+$/.test(number))) return null
  const power = unit ?? exponent
  const isScaled = power !== undefined
  const parts = (isScaled && ONE_POINT.test(number) ? null : GROUPED.exec(number)) ?? PLAIN.exec(number)
  const fraction = parts?.groups?.['fraction'] ?? ''
  if (!parts || (fraction.length > 2 && !isScaled)) return null
  return toCents(number.replace(/\D/g, ''), Number(power ?? 0) - fraction.length)
}

/** What section 5 makes of any text: its digits, with a point before the last one or two (D19a). Null without a digit. */
export function strippedMoney(text: string): number | null {
  const number = /.*\d/s.exec(inPlainSigns(text))?.[0]
  if (number === undefined) return null
  const cents = /\.(\d{1,2})$/.exec(number)?.[1] ?? ''
  return toCents(number.replace(/\D/g, ''), -cents.length)
}

/** One form for full-width digits, kinds of blanks and apostrophes, and small letters. */
function inPlainSigns(text: string): string {
  return cleanCode(text)
    .normalize('NFKC')
    .replace(/\s+/g, ' ')
    .replace(/[‘’ʼ′]/g, "'")
    .trim()
    .toUpperCase()
}

export function readTypedMoney(text: string): number | null {
  return parseMoney(text) ?? strippedMoney(text)
}

/** Reads the decimal digits that JSON and JavaScript write for the number. */
export function roundedToCents(value: number): number {
  const [, digits = '', fraction = '', power = '0'] =
    /^(\d+)(?:\.(\d+))?(?:e(.+))?$/.exec(String(Math.abs(value))) ?? []
  return Math.sign(value) * toCents(digits + fraction, Number(power) - fraction.length)
}

/** The amount of these digits times ten to the power, rounded half up to cents, without a detour over binary fractions. */
function toCents(digits: string, power: number): number {
  const end = digits.length + power + 2
  const cents = end < 0 ? '0' : digits.slice(0, end).padEnd(end, '0') || '0'
  const isHalfOrMore = end >= 0 && Number(digits[end] ?? 0) >= 5
  return (Number(cents) + (isHalfOrMore ? 1 : 0)) / 100
}
