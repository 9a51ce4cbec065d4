import * as z from 'zod/mini'
import { MONEY_MAX } from './limits.ts'

/** The one place that knows the currency. */
export const CURRENCY = 'AUD'

// The locale is fixed: en-US would write 'A$25,000'.
const WHOLE_DOLLARS = new Intl.NumberFormat('en-AU', {
  style: 'currency',
  currency: CURRENCY,
  minimumFractionDigits: 0,
  maximumFractionDigits: 0,
})

/** `$25,000`; nothing known is '—', never $0 (D19a). */
export function formatMoney(amount: number | null | undefined): string {
  return amount === null || amount === undefined ? '—' : WHOLE_DOLLARS.format(amount)
}

/**
 * Dollars from what a person types (section 5, D19a): everything but digits is dropped, except a point followed by one
 * or two digits at the end (`50,000.50`) and a last k or m (`50k`, `1.2m`). Null when no digit is there.
 */
export function parseMoney(text: string): number | null {
  const match = /^(.*?)(?:\.(\d{1,2}))?\s*([km])?$/i.exec(text.trim())
  if (!match) return null
  const [, whole = '', cents = '', unit = ''] = match
  const digits = whole.replace(/\D/g, '')
  if (digits === '' && cents === '') return null
  const amount = Number(`${digits || '0'}.${cents || '0'}`) * multiplier(unit)
  return Math.round(amount * 100) / 100
}

function multiplier(unit: string): number {
  if (unit === '') return 1
  return unit.toLowerCase() === 'k' ? 1_000 : 1_000_000
}

/** A number of dollars, or text as it is typed. Absent and blank become null; cents are kept, less is rounded (D7). */
export function optionalMoney(label: string) {
  return z.pipe(
    z.nullish(z.union([z.number(), z.string()], { error: `${label} must be an amount in dollars` })),
    z.transform((value, context): number | null => {
      const amount = typeof value === 'string' ? parseMoney(value) : (value ?? null)
      if (amount === null) return null
      if (amount < 0 || amount > MONEY_MAX) {
        context.issues.push({
          code: 'custom',
          message: `${label} must be an amount from 0 to 999,999,999,999.99`,
          input: value,
        })
      }
      return Math.round(amount * 100) / 100
    }),
  )
}
