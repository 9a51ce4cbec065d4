import * as z from 'zod/mini'
import { EMAIL_LENGTH_MAX } from './limits.ts'

/** PostgreSQL stores neither NUL nor a lone surrogate. */
export function storable(label: string) {
  return z.refine<string>(
    (text) => !text.includes('\u0000') && text.isWellFormed(),
    `${label} contains a character that cannot be stored`,
  )
}

/** Text that is too long gets no further check, because a pattern may take seconds on 64 KiB. */
export function lengthAtMost(label: string, lengthMax: number) {
  return z.maxLength(lengthMax, { error: `${label} must be ${lengthMax} characters or fewer`, abort: true })
}

/**
 * A check for names that other people see in mails and lists. Refuses control characters, line breaks, and characters
 * that change the direction of the text around the name.
 */
export function inOneLine(label: string) {
  return z.refine<string | null | undefined>(
    (text) => !/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u.test(text ?? ''),
    `${label} must be one line of plain text`,
  )
}

/** Text as people enter it, trimmed. */
function plainText(label: string, lengthMax: number, error: string) {
  return z.string({ error }).check(z.trim(), lengthAtMost(label, lengthMax), storable(label))
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
  const blankIsNull = z.transform((value: unknown): unknown =>
    value === undefined || (typeof value === 'string' && value.trim() === '') ? null : value,
  )
  return z.pipe(blankIsNull, z.nullable(schema))
}

/** An optional filter of a list. A blank one counts as absent. */
export function filterText(label: string, lengthMax: number) {
  return z.pipe(
    z.optional(plainText(label, lengthMax, `${label} must not be given more than once`)),
    z.transform((text): string | undefined => text || undefined),
  )
}

const EMAIL_PATTERN = /^[^\s@]+@[^\s@]+\.[^\s@]+$/

/** An email address that fits section 5's simple pattern. It is stored and compared in lower case (D10). */
export const Email = requiredText('Email', EMAIL_LENGTH_MAX).check(
  z.regex(EMAIL_PATTERN, 'Please enter a valid email address'),
  inOneLine('Email'),
  z.toLowerCase(),
)

/**
 * A field that accepts one of the listed words, in any case. The result has the list's spelling. Absent and blank
 * become null.
 */
export function optionalChoice<const Choices extends readonly string[]>(label: string, choices: Choices) {
  const error = `${label} must be one of: ${choices.join(', ')}`
  const choice = z.pipe(
    z.nullish(z.union([z.string(), z.number()], { error })),
    z.transform((value, context): Choices[number] | null => {
      const text = String(value ?? '')
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
