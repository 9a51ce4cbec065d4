import type { IsoCountry } from '@portal/contract/choices.ts'
import { fold } from '@portal/contract/fold.ts'
import { IMPORT_FIELD_NAMES, type ImportFieldName, type RowProblem } from '@portal/contract/imports.ts'
import { inUsualCountry, NewLead } from '@portal/contract/lead-form.ts'
import { formatPhone, phoneReadings } from '@portal/contract/phone.ts'

/** The text of each field that the row has. */
export type RowValues = Partial<Record<ImportFieldName, string>>

/** Checks a row with the form's rules (D83). The lead is null if there are problems. */
export function checkRow(values: RowValues, usual: IsoCountry): { lead: NewLead | null; problems: RowProblem[] } {
  const parsed = NewLead.safeParse(formOf(values))
  const problems = new Map<ImportFieldName | null, RowProblem>()
  for (const { path, message } of parsed.error?.issues ?? []) {
    const field = IMPORT_FIELD_NAMES.find((name) => name === path[0]) ?? null
    if (!problems.has(field)) problems.set(field, { field, message, offer: null })
  }
  for (const offer of findOffers(values)) problems.set(offer.field, offer)
  // The country is settled now, so that the lead is the one that the check has shown.
  const lead = parsed.success ? { ...inUsualCountry(parsed.data, usual), phoneInNewZealand: null } : null
  return { lead: problems.size === 0 ? lead : null, problems: [...problems.values()] }
}

/** A name in one cell is cut, unless the row has a first or last name of its own. */
function formOf({ leadName = '', ownsProperty, ...values }: RowValues) {
  const name = values.firstName || values.lastName ? {} : cutName(leadName.trim())
  const owned = fold(ownsProperty ?? '')
  return { ...values, ...name, ownsProperty: YES_OR_NO.get(owned) ?? (owned === '' ? null : ownsProperty) }
}

/** Cuts at the first single blank, if there is one, so that a name that the portal has exported comes back sign by sign. */
function cutName(name: string) {
  const [, firstName = name, lastName = ''] = /^(.*?\S) (\S.*)$/s.exec(name) ?? /^(\S+)\s+(.*)$/s.exec(name) ?? []
  return { firstName, lastName }
}

const YES_OR_NO = new Map<string, boolean>([
  ...['yes', 'y', 'true', '1'].map((word) => [word, true] as const),
  ...['no', 'n', 'false', '0'].map((word) => [word, false] as const),
])

/** What a spreadsheet does to numbers is offered, never guessed (D83). */
function findOffers({ phone = '', businessAbn = '', ownsProperty = '', propertyValue = '' }: RowValues): RowProblem[] {
  const isAsked = ownsProperty.trim() === '' && propertyValue.trim() !== ''
  return [
    ...shortened('phone', phone.trim()),
    ...withoutZero(phone.trim()),
    ...madeDate(phone.trim()),
    ...shortened('businessAbn', businessAbn.trim()),
    ...(isAsked ? [{ field: 'ownsProperty' as const, message: OWNS_PROPERTY, offer: 'Yes' }] : []),
  ]
}

const OWNS_PROPERTY = 'The property’s value is kept only if the applicant owns property. Is it so?'

/** A phone number that only makes sense with the 0 that a spreadsheet drops: `412345678`. */
function withoutZero(phone: string): RowProblem[] {
  if (!/^[1-9]\d+$/.test(phone)) return []
  const [reading] = phoneReadings(phone)
  const offer = `0${phone}`
  if (reading?.e164 === `+${phone}` || phoneReadings(offer).length === 0) return []
  return [
    { field: 'phone', message: `A spreadsheet may have dropped the first 0. Is it ${formatPhone(offer)}?`, offer },
  ]
}

/** A phone number that a spreadsheet has turned into a date, such as `3-11-2026`, whose digits can still look like a number. */
function madeDate(phone: string): RowProblem[] {
  return DATE.test(phone)
    ? [{ field: 'phone', message: 'A spreadsheet has turned this number into a date. Enter the number.', offer: null }]
    : []
}

const DATE = /^(?:\d{1,2}([-./])\d{1,2}\1(?:19|20)\d\d|(?:19|20)\d\d([-./])\d{1,2}\2\d{1,2})(?:[ T]\d{1,2}:.*)?$/

/** A number that a spreadsheet has written as `6.1412345678E+10`. Where no digit is lost, the whole number is offered. */
function shortened(field: 'phone' | 'businessAbn', text: string): RowProblem[] {
  const [, first, fraction = '', power] = /^(\d)(?:[.,](\d+))?E\+?(\d{1,2})$/i.exec(text) ?? []
  if (first === undefined) return []
  const isWhole = fraction.length === Number(power)
  return isWhole
    ? [
        {
          field,
          message: `A spreadsheet has shortened this number. Is it ${first}${fraction}?`,
          offer: `${first}${fraction}`,
        },
      ]
    : [{ field, message: 'A spreadsheet has cut digits off this number. Enter all of them.', offer: null }]
}
