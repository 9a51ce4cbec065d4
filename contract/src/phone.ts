import type { IsoCountry } from './choices.ts'

export interface PhoneReading {
  country: IsoCountry
  kind: 'mobile' | 'landline'
  /** E.164, as stored (D19). */
  e164: string
}

interface NumberPlan {
  country: IsoCountry
  callingCode: string
  mobile: RegExp
  landline: RegExp
}

/** Section 5's patterns, on the national number without its trunk 0; NZ 06 numbers count as landlines (D19). */
const AU: NumberPlan = { country: 'AU', callingCode: '61', mobile: /^4\d{8}$/, landline: /^[2378]\d{8}$/ }
const NZ: NumberPlan = { country: 'NZ', callingCode: '64', mobile: /^2\d{7,9}$/, landline: /^[34679]\d{6,7}$/ }

export const INVALID_PHONE =
  'Please enter a valid Australian or New Zealand phone number. Examples: +61 4XX XXX XXX (AU mobile), +64 2X XXX XXXX (NZ mobile), 02 XXXX XXXX (AU landline)'

/**
 * Every way to read a phone number, the likelier first: Australia is tried before New Zealand. With a country code
 * there is at most one, and +61 or +64 is nothing else; two readings are what the form's country switch is for (D19).
 * Empty when it is neither's.
 */
export function phoneReadings(text: string): PhoneReading[] {
  const digits = text.replace(/[\s()[\]+.\u2010-\u2015-]/g, '')
  if (!/^\d+$/.test(digits)) return []
  const withCode = [AU, NZ].flatMap((plan) =>
    digits.startsWith(plan.callingCode) ? read(plan, digits.slice(plan.callingCode.length)) : [],
  )
  if (withCode.length > 0 || /^[\s(]*\+[\s(]*6[\s)]*[14]/.test(text)) return withCode
  return [AU, NZ].flatMap((plan) => read(plan, digits))
}

/** The likeliest reading, or the one of the country that the partner chose. Null when there is none. */
export function readPhone(text: string, chosen?: IsoCountry | null): PhoneReading | null {
  const readings = phoneReadings(text)
  return readings.find((reading) => reading.country === chosen) ?? readings[0] ?? null
}

function read(plan: NumberPlan, digits: string): PhoneReading[] {
  const national = digits.replace(/^0/, '')
  const kind = plan.mobile.test(national) ? 'mobile' : plan.landline.test(national) ? 'landline' : null
  return kind ? [{ country: plan.country, kind, e164: `+${plan.callingCode}${national}` }] : []
}

/** How a stored number is shown (D19, section 9): AU and NZ in international form, ten digits as (XXX) XXX-XXXX. */
export function formatPhone(phone: string | null | undefined): string {
  if (!phone) return ''
  const reading = /^\+6[14]/.test(phone) ? readPhone(phone) : null
  if (reading) return international(reading)
  const digits = phone.replace(/\D/g, '')
  const american = /^1?(\d{3})(\d{3})(\d{4})$/.exec(digits)
  if (!american) return phone
  const [, area, exchange, line] = american
  return `${digits.length === 11 ? '+1 ' : ''}(${area}) ${exchange}-${line}`
}

/** `+61 412 345 678`, `+61 2 5550 1234`, `+64 21 123 4567`, `+64 9 123 4567`. */
function international({ country, kind, e164 }: PhoneReading): string {
  const code = e164.slice(0, 3)
  const national = e164.slice(3)
  if (country === 'AU') {
    const groups = kind === 'mobile' ? [3, 3, 3] : [1, 4, 4]
    return [code, ...cut(national, groups)].join(' ')
  }
  const groups = kind === 'mobile' ? [2, national.length > 9 ? 4 : 3, 4] : [1, 3, 4]
  return [code, ...cut(national, groups)].join(' ')
}

function cut(digits: string, lengths: number[]): string[] {
  let from = 0
  return lengths.map((length) => {
    const part = digits.slice(from, from + length)
    from += length
    return part
  })
}

/** The last digits of a number, by which spellings with +61, 0 or spaces find one another (D24). */
export function phoneDigits(text: string): string {
  return text.replace(/\D/g, '').replace(/^(?:61|64)?0?/, '')
}
