import * as z from 'zod/mini'
import { cleanCode, cleanText, isBlank } from './clean-text.ts'
import { CHOICE_LENGTH_MAX, EMAIL_LENGTH_MAX } from './limits.ts'
import { CHOICES_LENGTH_MAX, CHOICES_MAX, separateChoices } from './several.ts'

/** The door for every text that people or systems enter: cleaned, then trimmed (D143). */
export function cleanedText(error: string) {
  return z.string({ error }).check(z.overwrite(cleanText), z.trim())
}

/** The door for an address: an email or a URL. Nothing in an address may be invisible. */
export function cleanedAddress(error: string) {
  return z.string({ error }).check(z.overwrite(cleanCode), z.trim())
}

/** PostgreSQL does not store a lone surrogate. */
export function storable(label: string) {
  return z.refine<string>((text) => text.isWellFormed(), `${label} contains a character that cannot be stored`)
}

/** Text that is too long gets no further check, because a pattern may take seconds on 64 KiB. */
export function lengthAtMost(label: string, lengthMax: number) {
  return z.maxLength(lengthMax, { error: `${label} must be ${lengthMax} characters or fewer`, abort: true })
}

/** A check for names that other people see in mails and lists. */
export function inOneLine(label: string) {
  return z.refine<string | null | undefined>(
    (text) => !/[\n\t]/.test(text ?? ''),
    `${label} must be one line of plain text`,
  )
}

function plainText(label: string, lengthMax: number, error: string) {
  return cleanedText(error).check(lengthAtMost(label, lengthMax), storable(label))
}

export function requiredText(label: string, lengthMax: number) {
  return plainText(label, lengthMax, `${label} is required`).check(z.minLength(1, `${label} is required`))
}

/** Absent, null and blank all become null. */
export function optionalText(label: string, lengthMax: number) {
  return z.pipe(
    z.nullish(plainText(label, lengthMax, `${label} must be text`)),
    z.transform((text): string | null => text || null),
  )
}

/**
 * An optional text field in a request that changes a record. An absent field stays undefined, which means unchanged.
 * Null and blank become null.
 */
export function changedText(label: string, lengthMax: number) {
  return z.pipe(
    z.optional(z.nullable(plainText(label, lengthMax, `${label} must be text`))),
    z.transform((text): string | null | undefined => (text === undefined ? undefined : text || null)),
  )
}

/** Makes a field optional: absent, null and blank become null, and any other value must match the schema. */
export function orNothing<Schema extends z.ZodMiniType>(schema: Schema) {
  const blankIsNull = z.transform((value: unknown): unknown => (value === undefined || isBlank(value) ? null : value))
  return z.pipe(blankIsNull, z.nullable(schema))
}

/** An optional filter of a list. A blank one counts as absent. */
export function filterText(label: string, lengthMax: number) {
  return z.pipe(
    z.optional(plainText(label, lengthMax, `${label} must not be given more than once`)),
    z.transform((text): string | undefined => text || undefined),
  )
}

/** An optional filter of a list that takes several values (D81). A blank one counts as absent. */
export function filterChoices(label: string) {
  return z.pipe(
    filterText(label, CHOICES_LENGTH_MAX),
    z.transform((text, { issues }): string[] | undefined => {
      const values = separateChoices(text ?? '')
      if (values.length > CHOICES_MAX || values.some((value) => value.length > CHOICE_LENGTH_MAX)) {
        issues.push({ code: 'custom', message: `${label} must be at most ${CHOICES_MAX} values`, input: text })
      }
      return values.length === 0 ? undefined : values
    }),
  )
}

const INVALID_EMAIL = 'Please enter a valid email address'
const EMAIL_PATTERN = /^[^\s@]+@[^\s@]+\.[^\s@]+$/
/** What every mail server reads as one address, and no mailer has to quote. */
const PLAIN_EMAIL = /^[^\s@<>()[\],;:\\".]+(?:\.[^\s@<>()[\],;:\\".]+)*@(?:[a-z0-9_-]+\.)+[a-z0-9_-]+$/

/**
 * The email address of an account that may exist already. It fits section 5's simple pattern, and has the form in which
 * it is compared: in lower case and NFC, and its domain in ASCII (D10, D143).
 */
export const KnownEmail = emailLike(EMAIL_PATTERN)

/** A new email address. It has no sign that a mail program could read as the end of the address, or as another address. */
export const Email = emailLike(PLAIN_EMAIL)

function emailLike(pattern: RegExp) {
  return cleanedAddress('Email is required').check(
    lengthAtMost('Email', EMAIL_LENGTH_MAX),
    storable('Email'),
    z.minLength(1, 'Email is required'),
    z.overwrite(comparedEmail),
    z.regex(pattern, INVALID_EMAIL),
  )
}

/** The form of an email address in which two spellings of one mailbox are equal. */
export function comparedEmail(email: string): string {
  const text = cleanCode(email).trim().toLowerCase().normalize('NFC')
  const at = text.lastIndexOf('@') + 1
  const domain = text.slice(at)
  const address = `http://${domain}`
  if (!/[\u0080-\u{10ffff}]/u.test(domain) || /[/?#\\:%[\]]/.test(domain) || !URL.canParse(address)) return text
  return text.slice(0, at) + new URL(address).hostname
}

/**
 * A field that accepts one of the listed words, in any case. The result has the list's spelling. Absent and blank
 * become null.
 */
export function optionalChoice<const Choices extends readonly string[]>(label: string, choices: Choices) {
  const error = `${label} must be one of: ${choices.join(', ')}`
  const choice = z.pipe(
    z.nullish(z.union([z.string(), z.number()], { error })),
    z.transform((value, context): Choices[number] | null => {
      const text = cleanText(String(value ?? ''))
        .trim()
        .toLowerCase()
      if (text === '') return null
      const choice = choices.find((candidate) => candidate.toLowerCase() === text)
      if (choice === undefined) context.issues.push({ code: 'custom', message: error, input: value })
      return choice ?? null
    }),
  )
  // The API documentation shows this list.
  return choice.register(z.globalRegistry, { enum: [...choices] })
}

/** Where a list's `search` looks: in what the list's own box searches, or, with `all`, where GET /crm/search looks (D24). */
export const searchIn = z.optional(z.enum(['list', 'all'], { error: 'searchIn must be list or all' }))
