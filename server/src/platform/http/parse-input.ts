import type * as z from 'zod/mini'
import { PortalError } from '../errors.ts'
import { invalidFromIssues } from './invalid-from-issues.ts'

/** Parses what a caller has sent, or throws an answer that names the faulty fields. */
export function parseInput<Schema extends z.ZodMiniType>(schema: Schema, input: unknown): z.output<Schema> {
  const parsed = safeParse(schema, input)
  if (!parsed.success) throw invalidFromIssues(parsed.error.issues)
  return parsed.data
}

/** Zod measures everything with a `length`, and throws on a `length` that is no number. Such input is refused too. */
function safeParse<Schema extends z.ZodMiniType>(schema: Schema, input: unknown) {
  try {
    return schema.safeParse(input)
  } catch (cause) {
    throw new PortalError(400, 'VALIDATION', 'A field holds an object where a text or a number is expected', { cause })
  }
}
