import * as z from 'zod/mini'
import { cleanText, isBlank } from './clean-text.ts'
import { inOneLine, lengthAtMost, storable } from './text.ts'

/**
 * Names of the portal's own people and businesses (D132). They stand in the lender's mails to strangers, so they hold no
 * address and no invisible sign. `kept` is the name that is stored: it may come back as it is.
 */
function ownName(label: string, lengthMax: number, error: string, kept: string | null) {
  const isKept = (name: string) => kept !== null && cleanText(name).trim() === cleanText(kept).trim()
  return z.string({ error }).check(
    z.refine(
      (name) => !hasInvisible(name) || isKept(name),
      `${label} contains a character that nobody can see. Please type it instead of pasting it.`,
    ),
    z.overwrite(cleanText),
    z.trim(),
    lengthAtMost(label, lengthMax),
    storable(label),
    inOneLine(label),
    z.refine((name) => !holdsAddress(name) || isKept(name), `${label} must not contain a web or email address`),
  )
}

export function requiredName(label: string, lengthMax: number, kept: string | null = null) {
  const missing = `${label} is required`
  return ownName(label, lengthMax, missing, kept).check(z.minLength(1, missing))
}

/** Absent, null and blank all become null. */
export function optionalName(label: string, lengthMax: number) {
  return z.pipe(
    z.nullish(ownName(label, lengthMax, `${label} must be text`, null)),
    z.transform((name): string | null => name || null),
  )
}

/** In a changed profile. An absent name stays undefined, which means unchanged. Null and blank become null. */
export function changedName(label: string, lengthMax: number, kept: string | null) {
  return z.pipe(
    z.optional(z.nullable(ownName(label, lengthMax, `${label} must be text`, kept))),
    z.transform((name): string | null | undefined => (name === undefined ? undefined : name || null)),
  )
}

function holdsAddress(name: string): boolean {
  return /:\/\/|www\.|\S@\S/i.test(name.normalize('NFKC'))
}

/** Whether `cleanText` drops more than blanks and line breaks. A name in which nothing can be seen is missing instead. */
function hasInvisible(name: string): boolean {
  const visible = name.replace(/\r\n?|[\v\f\u0085\u2028\u2029]/g, '\n').normalize('NFC')
  return !isBlank(name) && cleanText(name) !== visible
}
