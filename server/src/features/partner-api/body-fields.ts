import type { Route } from '@portal/contract/route.ts'
import { snakeCase, spelledBodyOf } from '@portal/contract/spelling.ts'
import * as z from 'zod/mini'

type JsonSchema = z.core.JSONSchema.BaseSchema

interface BodyField {
  /** The name in snake_case, as the documentation shows it. */
  name: string
  isRequired: boolean
  description: string
  schema: JsonSchema
}

/** The fields of a body that accepts field names in snake_case and camelCase. */
export function bodyFields(body: NonNullable<Route['body']>): BodyField[] {
  const spelled = spelledBodyOf(body)
  if (!spelled) throw new Error('only bodies that accept both spellings are documented')
  return Object.entries(spelled.fields).map(([field, description]) => {
    const schema = spelled.shape[field]
    if (!schema) throw new Error(`${field} is described but does not exist`)
    const isRequired = !schema.safeParse(undefined).success
    return { name: snakeCase(field), isRequired, description, schema: inputSchema(schema) }
  })
}

/** Field names, such as email and phone. The body must contain at least one of these fields. */
export function eitherOr(body: NonNullable<Route['body']>): readonly string[] {
  return spelledBodyOf(body)?.oneOf.map(snakeCase) ?? []
}

function inputSchema(schema: z.ZodMiniType): JsonSchema {
  const { $schema: _, anyOf, ...json } = z.toJSONSchema(schema, { io: 'input' })
  // The portal accepts listed words in upper or lower case. The documentation shows them as listed.
  if (json.enum) return { ...json, type: ['string', 'null'], enum: [...json.enum, null] }
  const [only] = anyOf?.filter((one) => one.type !== 'null') ?? []
  return typeof only?.type === 'string' ? { ...only, type: [only.type, 'null'] } : json
}

/** The schema of an answer. It permits further fields, because later versions may add some. */
export function answerSchema(schema: z.ZodMiniType): JsonSchema {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    override: ({ jsonSchema }) => {
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
    },
  })
  return json
}
