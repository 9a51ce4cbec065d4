import * as z from 'zod/mini'
import { isBlank } from './clean-text.ts'
import { MONEY_MAX, MONEY_TEXT_LENGTH_MAX } from './limits.ts'
import { parseMoney, readTypedMoney, roundedToCents } from './money.ts'

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
