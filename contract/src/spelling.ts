import { distance } from 'fastest-levenshtein'
import * as z from 'zod/mini'
import { isBlank } from './clean-text.ts'

/** Describes a body whose fields have several spellings. The API documentation shows these fields in snake_case. */
interface SpelledBody<Field extends string = string> {
  shape: Record<Field, z.ZodMiniType>
  /** A description of each field, in the order of the documentation. */
  fields: Record<NoInfer<Field>, string>
  /** At least one of these must be given. */
  oneOf: readonly string[]
}

const bodies = new WeakMap<z.ZodMiniType, SpelledBody>()

/** Finds the description of a schema's body. Undefined for a schema whose fields have one name only. */
export function spelledBodyOf(schema: z.ZodMiniType): SpelledBody | undefined {
  return bodies.get(schema)
}

/** The largest number of unknown fields that an answer names. A body may have thousands. */
const UNKNOWN_FIELDS_MAX = 20
const SHOWN_LENGTH_MAX = 50

/**
 * A body whose fields may be in camelCase, in snake_case, or under another name that integrators expect (D38). A field
 * may be given twice if both values are the same. Messages use the caller's own spelling, and for an unknown field they
 * suggest similar known ones.
 */
export function inAnySpelling<Schema extends z.ZodMiniType, Field extends string>(
  schema: Schema,
  body: SpelledBody<Field> & { aliases: Record<string, NoInfer<Field>> },
) {
  const names = new Map<string, string>()
  for (const field of Object.keys(body.fields)) names.set(field, field).set(snakeCase(field), field)
  for (const [alias, field] of Object.entries(body.aliases)) names.set(alias, field).set(snakeCase(alias), field)

  const spelled = z.pipe(
    z.record(z.string(), z.unknown()),
    z.transform((given, context) => {
      const refuse = (field: string, message: string) =>
        context.issues.push({ code: 'custom', path: [field], message, input: given })
      const read = readSpelling(given, names)
      for (const key of read.unknown.slice(0, UNKNOWN_FIELDS_MAX)) {
        const shown = key.length > SHOWN_LENGTH_MAX ? `${key.slice(0, SHOWN_LENGTH_MAX)}…` : key
        refuse(shown, `${shown} is not a known field${suggestion(key, names, read.styled)}`)
      }
      for (const [one, other] of read.contradictions) {
        refuse(other, `${one} and ${other} name the same field but have different values`)
      }
      const spell = (field: string) => read.spelledAs.get(field) ?? read.styled(field)
      const parsed = schema.safeParse(read.values)
      for (const { path, message } of parsed.error?.issues ?? []) {
        const [field, ...rest] = path
        context.issues.push({ code: 'custom', path: [spell(String(field)), ...rest], message, input: given })
      }
      if (body.oneOf.every((field) => isBlank(read.values[field] ?? ''))) {
        const wanted = body.oneOf.map(spell)
        for (const field of wanted) refuse(field, `Either ${wanted.join(' or ')} is required`)
      }
      return parsed.success ? parsed.data : z.NEVER
    }),
  )
  bodies.set(spelled, body)
  return spelled
}

/** Turns `businessName` into `business_name`. */
export function snakeCase(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

function readSpelling(given: Record<string, unknown>, names: ReadonlyMap<string, string>) {
  const values: Record<string, unknown> = {}
  const spelledAs = new Map<string, string>()
  const unknown: string[] = []
  const contradictions: [string, string][] = []
  for (const [key, value] of Object.entries(given)) {
    const field = names.get(key)
    const earlier = field && spelledAs.get(field)
    if (field === undefined) unknown.push(key)
    else if (earlier === undefined) {
      spelledAs.set(field, key)
      values[field] = value
    } else if (JSON.stringify(values[field]) !== JSON.stringify(value)) contradictions.push([earlier, key])
  }
  // How the caller would spell a field that is missing.
  const isCamel = [...spelledAs.values()].some((key) => /[A-Z]/.test(key))
  return { values, spelledAs, unknown, contradictions, styled: isCamel ? asItIs : snakeCase }
}

function asItIs(field: string): string {
  return field
}

/**
 * `. Did you mean business_name?`, or nothing if no field is similar or the key is too long or too short to compare.
 */
function suggestion(key: string, names: ReadonlyMap<string, string>, styled: (field: string) => string): string {
  const wanted = plain(key)
  if (key.length > SHOWN_LENGTH_MAX || wanted.length < 3) return ''
  const near = new Set<string>()
  for (const [name, field] of names) if (isNear(wanted, plain(name))) near.add(styled(field))
  const [last, ...others] = [...near].slice(0, 3).reverse()
  if (last === undefined) return ''
  return `. Did you mean ${[others.reverse().join(', '), last].filter(Boolean).join(' or ')}?`
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '')
}

/**
 * Whether two names are alike: they differ by at most two typing errors, or one contains the other. Both names are in
 * the form that `plain` returns.
 */
function isNear(wanted: string, name: string): boolean {
  if (name.includes(wanted) || (name.length > 3 && wanted.includes(name))) return true
  return distance(wanted, name) <= Math.min(2, Math.ceil(name.length / 3))
}
