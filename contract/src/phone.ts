import type { IsoCountry } from './choices.ts'
import { cleanCode } from './clean-text.ts'

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

/** Section 5's patterns for the national number without its trunk 0. NZ 06 numbers count as landlines (D19). */
const AU: NumberPlan = { country: 'AU', callingCode: '61', mobile: /^4\d{8}$/, landline: /^[2378]\d{8}$/ }
const NZ: NumberPlan = { country: 'NZ', callingCode: '64', mobile: /^2\d{7,9}$/, landline: /^[34679]\d{6,7}$/ }

/** If both patterns fit, these are New Zealand mobiles: no Australian range in use begins with 020, 021 or 022. */
const NZ_FIRST = /^2[012]/
/** Both countries use these beginnings, and 020 fits section 5's Australian pattern, so the form offers a switch (D120). */
const AU_OR_NZ = /^2[0789]/
/** As common in one country as in the other, so something else has to decide (D120). */
const UNDECIDED = /^27/

export const DIGIT_MISSING = 'Looks like an Australian mobile with a digit missing'

export const INVALID_PHONE =
  'Please enter a valid Australian or New Zealand phone number. Examples: +61 4XX XXX XXX (AU mobile), +64 2X XXX XXXX (NZ mobile), 02 XXXX XXXX (AU landline)'

/** What people see under INVALID_PHONE (D144). */
export const FREEPHONE = 'Freephone and 13 numbers cannot be called back: enter a mobile or a landline'

/**
 * The possible readings of a phone number, the likelier country first. A number with a country code (such as +61, 0061,
 * 0011 61 or 61) has at most one reading. If there are two readings, the form shows a country switch (D19, D120). The
 * list is empty if the number belongs to neither country.
 */
export function phoneReadings(written: string): PhoneReading[] {
  const text = withoutPunctuation(written)
  const digits = digitsOf(text)
  if (!/^\d+$/.test(digits)) return []
  const withCode = [AU, NZ].flatMap((plan) =>
    digits.startsWith(plan.callingCode) ? read(plan, digits.slice(plan.callingCode.length)) : [],
  )
  if (withCode.length > 0 || hasCountryCode(text)) return withCode
  const national = digits.replace(/^0/, '')
  const plans = NZ_FIRST.test(national) ? [NZ, AU] : [AU, NZ]
  const readings = plans.flatMap((plan) => read(plan, digits))
  return AU_OR_NZ.test(national) ? readings : readings.slice(0, 1)
}

/** The text without full-width forms, invisible signs, blanks, dashes and brackets. */
function withoutPunctuation(text: string): string {
  return cleanCode(text)
    .normalize('NFKC')
    .replace(/[\s()[\].\u2010-\u2015\u2212-]/g, '')
}

/** Without the + or the 00 of an international number, which is 0011 if it is dialled in Australia. */
function digitsOf(text: string): string {
  return text.replace(/\+/g, '').replace(/^00(?:11)?(?=6[14])/, '')
}

function hasCountryCode(text: string): boolean {
  return /^(?:\+|00(?:11)?)6[14]/.test(text)
}

/** Whether two countries fit equally well, so that the applicant's state or the partner's other leads decide (D120). */
export function isUndecided(text: string): boolean {
  const [reading, other] = phoneReadings(text)
  return reading !== undefined && other !== undefined && UNDECIDED.test(reading.e164.slice(3))
}

/** Whether the text is a number such as 0800, 1800 or 13, which nobody can call back. */
export function isFreephone(text: string): boolean {
  const number = /^(?:6[14])?0?(?:800|508|900|1[38]\d)\d{3}/
  return phoneReadings(text).length === 0 && number.test(digitsOf(withoutPunctuation(text)))
}

/**
 * Whether the text is `04` and seven digits. The patterns take it for a New Zealand landline, but it is more often an
 * Australian mobile number with a digit missing (D50).
 */
export function lacksDigit(text: string): boolean {
  return /^04\d{7}$/.test(digitsOf(withoutPunctuation(text)))
}

/**
 * The reading for the chosen country, or the first reading if nobody chose one or the number does not fit it. Null if
 * there is no reading.
 */
export function readPhone(text: string, chosen?: IsoCountry | null): PhoneReading | null {
  const readings = phoneReadings(text)
  return readings.find((reading) => reading.country === chosen) ?? readings[0] ?? null
}

/** A 0 before 800, 508, 900 and 13 or 18 is no trunk 0 but part of the number (D144). */
function read(plan: NumberPlan, digits: string): PhoneReading[] {
  const national = digits.replace(/^0(?!800|508|900|1[38])/, '')
  const kind = plan.mobile.test(national) ? 'mobile' : plan.landline.test(national) ? 'landline' : null
  return kind ? [{ country: plan.country, kind, e164: `+${plan.callingCode}${national}` }] : []
}

/**
 * Formats a stored number for the screen (D19, D50, section 9). A number with +61 or +64 gets the international form. A
 * valid number that begins with 0 or has fewer than ten digits gets the form of its country, or stays as it is if it
 * fits both countries. Any other ten digits become (XXX) XXX-XXXX, and any other eleven that begin with 1 become
 * +1 (XXX) XXX-XXXX. The rest stays as it is.
 */
export function formatPhone(phone: string | null | undefined): string {
  if (!phone) return ''
  const digits = phone.replace(/\D/g, '')
  const [reading, other] = phoneReadings(phone)
  if (reading && hasCountryCode(withoutPunctuation(phone))) return international(reading)
  if (reading && (digits.startsWith('0') || digits.length < 10)) return other ? phone : inItsCountry(reading)
  const american = /^1?(\d{3})(\d{3})(\d{4})$/.exec(digits)
  if (!american) return phone
  const [, area, exchange, line] = american
  return `${digits.length === 11 ? '+1 ' : ''}(${area}) ${exchange}-${line}`
}

/** For example `+61 412 345 678`, `+61 2 5550 1234`, `+64 21 123 4567` or `+64 9 123 4567`. */
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

/** For example `0412 345 678`, `02 5550 1234`, `021 123 4567` or `09 123 4567`. */
function inItsCountry(reading: PhoneReading): string {
  const [, first = '', ...rest] = international(reading).split(' ')
  return [`0${first}`, ...rest].join(' ')
}

function cut(digits: string, lengths: number[]): string[] {
  let from = 0
  return lengths.map((length) => {
    const part = digits.slice(from, from + length)
    from += length
    return part
  })
}

/**
 * The digits of a phone number without country code and trunk 0, so that all spellings of one number give the same
 * digits (D24). A number that is written without its trunk 0 and begins with 61 or 64 is the exception: it loses these
 * digits too. A search for the remaining digits still finds it.
 */
export function phoneDigits(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/\D/g, '')
    .replace(/^(?:(?:00(?:11)?)?(?:61|64))?0?/, '')
}
