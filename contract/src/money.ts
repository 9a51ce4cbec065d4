import * as z from 'zod/mini'
import { MONEY_MAX, MONEY_TEXT_LENGTH_MAX } from './limits.ts'
import { formatNumber } from './numbers.ts'

/** The currency of every amount. Elsewhere, only the descriptions of the API's fields name it. */
export const CURRENCY = 'AUD'

/** Formats an amount like `$25,000`. An unknown amount is '—', never $0 (D19a). */
export function formatMoney(amount: number | null | undefined): string {
  if (amount === null || amount === undefined) return '—'
  const dollars = Math.round(Math.abs(amount))
  return `${amount < 0 && dollars > 0 ? '-' : ''}$${formatNumber(dollars)}`
}

/** Formats an amount like `$25K` or `$1.3M`, for the scale of a chart. */
export function formatMoneyInShort(amount: number): string {
  // The locale is fixed: en-US would write 'A$25K'.
  const short = { style: 'currency', currency: CURRENCY, notation: 'compact', maximumFractionDigits: 1 } as const
  return new Intl.NumberFormat('en-AU', short).format(amount)
}

const UNIT = /^\.?\s*(?:(k|thousand)|(m|million))\b/i

/**
 * Reads the dollars in a text that a person typed (section 5, D19a). It reads the digits, a point before the last one
 * or two digits (`50,000.50`), and a unit of thousands or millions (`50k`). It ignores the rest. If there is a unit,
 * any number of digits may follow the point (`1.234m`). Null if there is no digit.
 */
export function parseMoney(text: string): number | null {
  const lastDigit = text.search(/\d\D*$/)
  if (lastDigit === -1) return null
  const number = text.slice(0, lastDigit + 1)
  const unit = UNIT.exec(text.slice(lastDigit + 1))
  const [point = '', fraction = '0'] = (unit ? /\.(\d+)$/ : /\.(\d{1,2})$/).exec(number) ?? []
  const digits = number.slice(0, number.length - point.length).replace(/\D/g, '')
  return toCents(Number(`${digits || '0'}.${fraction}`) * (unit?.[1] ? 1_000 : unit?.[2] ? 1_000_000 : 1))
}

/**
 * A field of a request body with an amount in dollars, as a number or as typed text. An absent field, a blank one and
 * text without digits become null. The amount is rounded to cents (D7).
 */
export function optionalMoney(label: string) {
  return moneyField(label, parseMoney)
}

const AMOUNT = /^[A$\s]*[\d,\s]*\d(?:\.\d{1,2})?\s*[km]?\s*$/i

/** The amount of a filter. Text that is not an amount is refused, never ignored (D7). */
export function filterMoney(label: string) {
  return moneyField(label, (text) => (AMOUNT.test(text) ? parseMoney(text) : Number.NaN))
}

function moneyField(label: string, read: (text: string) => number | null) {
  const notMoney = `${label} must be an amount in dollars`
  return z.pipe(
    z.nullish(z.union([z.number(), z.string()], { error: notMoney })),
    z.transform((value, context): number | null => {
      if (value === undefined || value === null) return null
      if (typeof value === 'string' && value.trim() === '') return null
      if (typeof value === 'string' && value.length > MONEY_TEXT_LENGTH_MAX) return refuse(notMoney)
      const amount = typeof value === 'string' ? read(value) : value
      if (amount === null) return null
      if (Number.isNaN(amount)) return refuse(notMoney)
      if (amount < 0 || amount > MONEY_MAX) return refuse(`${label} must be an amount from 0 to 999,999,999,999.99`)
      return toCents(amount)

      function refuse(message: string): null {
        context.issues.push({ code: 'custom', message, input: value })
        return null
      }
    }),
  )
}

function toCents(amount: number): number {
  return Math.round(amount * 100) / 100
}
