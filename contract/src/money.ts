import * as z from 'zod/mini'
import { cleanCode } from './clean-text.ts'
import { MONEY_MAX, MONEY_TEXT_LENGTH_MAX } from './limits.ts'
import { formatNumber } from './numbers.ts'
import { isBlank } from './text.ts'

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

/**
 * A field of a request with an amount in dollars, as a number or as text. An absent field and a blank one become null.
 * A number with more than two decimals is rounded (D7).
 */
export function optionalMoney(label: string) {
  return moneyField(label, (text) => parseMoney(text) ?? undefined)
}

/** A form's field with an amount: what is not one amount is stripped as section 5 says, and the form shows the result. */
export function typedMoney(label: string) {
  return moneyField(label, readTypedMoney)
}

export function readTypedMoney(text: string): number | null {
  return parseMoney(text) ?? strippedMoney(text)
}

/** `read` returns undefined for a text that is refused. */
function moneyField(label: string, read: (text: string) => number | null | undefined) {
  const notMoney = `${label} must be an amount in dollars`
  return z.pipe(
    z.nullish(z.union([z.number(), z.string()], { error: notMoney })),
    z.transform((value, context): number | null => {
      if (value === undefined || value === null || isBlank(value)) return null
      if (typeof value === 'string' && value.length > MONEY_TEXT_LENGTH_MAX) return refuse(notAnAmount(value))
      const amount = typeof value === 'string' ? read(value) : roundedToCents(value)
      if (amount === undefined) return refuse(notAnAmount(String(value)))
      if (amount !== null && (amount < 0 || amount > MONEY_MAX)) {
        return refuse(`${label} must be an amount from 0 to 999,999,999,999.99`)
      }
      return amount

      function refuse(message: string): null {
        context.issues.push({ code: 'custom', message, input: value })
        return null
      }
    }),
  )

  function notAnAmount(text: string): string {
    const shown = text.length > MONEY_TEXT_LENGTH_MAX ? `${text.slice(0, MONEY_TEXT_LENGTH_MAX).toWellFormed()}…` : text
    return `${label} must be one amount in dollars, such as 50,000, not “${shown}”`
  }
}

/** Reads the decimal digits that JSON and JavaScript write for the number. */
function roundedToCents(value: number): number {
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
