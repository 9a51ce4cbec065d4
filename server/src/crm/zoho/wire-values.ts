import { isPlainDate } from '@portal/contract/calendar.ts'
import { GST_REGISTERED, PORTAL_ACCESS } from '@portal/contract/choices.ts'
import { CHOICE_LENGTH_MAX } from '@portal/contract/limits.ts'
import { parseLoid } from '@portal/contract/loid.ts'
import * as z from 'zod/mini'

// Zoho's ids have 18 or 19 digits, more than a JavaScript number can hold, so they are always text.
export const ZohoId = z.string().check(z.regex(/^\d{1,30}$/, 'is not an id'))

/**
 * Zoho's own limit for a single line. The portal reads its lists from indexes, so a line must fit into an index entry,
 * which has at most 2,704 bytes.
 */
export const LINE_LENGTH_MAX = 255
const URL_LENGTH_MAX = 1_000
const TEXT_LENGTH_MAX = 65_535
const NUMBER_MAX = 999_999_999_999.99

/**
 * Trims text; blank text becomes null. PostgreSQL cannot store a NUL, which is dropped, nor half a letter. One function does all of
 * this, to save time, because a lead has twenty texts.
 */
export function text(lengthMax: number) {
  return z.pipe(
    z.optional(z.unknown()),
    z.transform((input, { issues }): string | null => {
      if (input === null || input === undefined) return null
      if (typeof input !== 'string' && typeof input !== 'number') {
        issues.push({ code: 'custom', message: 'is not text', input })
        return null
      }
      const clean = cleanText(input)
      if (clean.length > lengthMax) issues.push({ code: 'custom', message: 'is too long', input })
      return clean || null
    }),
  )
}

function cleanText(value: string | number): string {
  return String(value).replaceAll('\u0000', '').toWellFormed().trim()
}

export const Line = text(LINE_LENGTH_MAX)
export const Choice = text(CHOICE_LENGTH_MAX)
export const Url = text(URL_LENGTH_MAX)
export const LongText = text(TEXT_LENGTH_MAX)

/** An amount is rounded to cents. Zoho sends long integers as text. */
export const Amount = z.pipe(
  z
    .pipe(
      z.nullish(z.union([z.number(), z.string()], 'is not a number')),
      z.transform((value) => (value === null || value === undefined || value === '' ? null : Number(value))),
    )
    .check(z.refine((value) => value === null || Math.abs(value) <= NUMBER_MAX, 'is not a number or is too large')),
  z.transform((value) => value && Math.round(value * 100) / 100),
)

/** An optional field: undefined if the organisation, and so the record, lacks it. */
export function ifThere<Schema extends z.ZodMiniType>(schema: Schema) {
  return z.union([z.undefined(), schema])
}

export const Percent = Amount.check(
  z.refine((value) => value === null || Math.abs(value) < 1_000, 'is not a percentage'),
)

export const YesNo = z.pipe(
  z.nullish(z.boolean('is not true or false')),
  z.transform((value) => value ?? false),
)

export const PlainDate = z
  .pipe(
    z.nullish(z.string('is not a date')),
    z.transform((value) => value || null),
  )
  .check(z.refine((value) => value === null || isPlainDate(value), 'is not a date'))

/**
 * Accepts any offset and converts the time to UTC with milliseconds. Text without an offset is refused, because its
 * meaning would depend on the time zone.
 */
export const ZohoInstant = z.pipe(
  z.string('is not a time').check(
    z.regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})$/, 'is not a time'),
    z.refine((value) => !Number.isNaN(Date.parse(value)), 'is not a time'),
  ),
  z.transform((value) => new Date(value).toISOString()),
)

/** A lookup that is only an id, as in a query's answer. */
const BareId = z.pipe(
  ZohoId,
  z.transform((id): { id: string; name: string | null } => ({ id, name: null })),
)
export const Lookup = z.pipe(
  z.nullish(z.union([z.object({ id: ZohoId, name: text(LINE_LENGTH_MAX) }), BareId], 'is not a lookup')),
  z.transform((value) => value ?? null),
)

/** A LOID that staff mistyped is read as missing. */
export const LoidText = z.pipe(
  Line,
  z.transform((value) => value && parseLoid(value)),
)

/** A value that cannot be read counts as none, so that it does not hide the others. */
export const Fact = z.union([z.undefined(), z.catch(Line, null)])

/** Staff may write the word in other letters. A word that the portal does not know counts as none (D116). */
export const AccessWord = z.pipe(
  z.catch(Line, null),
  z.transform((value) => PORTAL_ACCESS.find((word) => word.toLowerCase() === value?.toLowerCase()) ?? null),
)

/** As the word for access: in any letters, and none if the portal does not know it. */
export const GstWord = z.pipe(
  z.catch(Line, null),
  z.transform((value) => GST_REGISTERED.find((word) => word.toLowerCase() === value?.toLowerCase()) ?? null),
)
