import { profileChange } from '@portal/contract/account-forms.ts'
import type { Route } from '@portal/contract/route.ts'
import { spelledBodyOf } from '@portal/contract/spelling.ts'
import fc from 'fast-check'

export const ODD_TEXTS = [
  '\u0000',
  'a\u0000b',
  "'; drop table leads; --",
  '<script>alert(1)</script>',
  '../../etc/passwd',
  '%',
  '\\',
  '${7*7}',
  'ﷺ'.repeat(40),
  '🚚\u202e\u200b',
  '-1',
  '1e999',
  'NaN',
  'null',
  '__proto__',
  '00000000-0000-0000-0000-00000000000g',
  'x'.repeat(2_000),
]
export const ODD_VALUES: unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e308,
  [],
  ['a'],
  {},
  { $gt: '' },
  { toString: 'x' },
  // A validator that reads `length` or makes a text of it must not fail.
  { length: { toString: null } },
  { length: 1e9, size: { valueOf: null } },
  { valueOf: null, toString: null, constructor: null },
  { size: null, length: -1 },
  'a\ud800',
]

export interface BadInput {
  id?: string
  query?: [string, string][]
  /** The body as it is sent. */
  body?: string | Buffer
}

/**
 * Any code point, even half a surrogate pair. `unit: 'binary'` has no halves, and needs a second of processor time to
 * list all code points.
 */
const anyCodePoint = fc.nat({ max: 0x10ffff }).map((point) => String.fromCodePoint(point))
const anyText = fc.oneof(
  fc.string({ unit: anyCodePoint, maxLength: 60 }),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.constantFrom(...ODD_TEXTS, '', ' ', 'LO-00000000', '2026-01-01', '5', 'leads', 'a'.repeat(300), 'x'.repeat(5_000)),
)
const anyKey = fc.oneof(
  fc.string({ maxLength: 20 }),
  fc.constantFrom(
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'then',
    'length',
    'size',
    'valueOf',
    'admin',
    'partner_id',
    'id',
    '',
  ),
)
const anyValue = fc.oneof(
  { weight: 4, arbitrary: anyText },
  { weight: 2, arbitrary: fc.constantFrom(...ODD_VALUES) },
  { weight: 1, arbitrary: fc.jsonValue() },
  { weight: 1, arbitrary: fc.integer({ min: 100, max: 60_000 }).map((length) => 'ﷺ'.repeat(length / 3)) },
)
const anyObject = fc.array(fc.tuple(anyKey, anyValue), { minLength: 1, maxLength: 5 })

const TOOLS = ['find_referrals', 'open_referral', 'changes_since', 'explain_status', 'needs_attention', 'submit_lead']
const TOOL_FIELDS = ['search', 'status', 'changed_from', 'loid', 'cursor', 'lead', 'confirmation']
const LEAD_FIELDS = ['business_name', 'email', 'phone', 'first_name', 'loan_amount', 'status', 'abn']

/** A call of an assistant's tool, whose arguments the tool itself parses. */
function badToolCall(): fc.Arbitrary<BadInput> {
  const lead = fc.tuple(fc.constantFrom(...LEAD_FIELDS), anyValue).map(([field, value]) => {
    return ['lead', { business_name: 'Conform', email: 'conform@example.com', [field]: value }] as const
  })
  const given = fc.oneof(fc.tuple(fc.constantFrom(...TOOL_FIELDS), anyValue), lead)
  return fc.tuple(fc.constantFrom(...TOOLS), given).map(([name, [field, value]]) => ({
    body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}","arguments":${jsonOf([[field, value]])}}}`,
  }))
}

/** Requests that an attacker or a faulty program could send, with one bad part or only bad parts; half of them about `record`. */
export function badInput(
  route: Route,
  validBody: object | undefined,
  record: string | undefined,
): fc.Arbitrary<BadInput> {
  const parts: fc.Arbitrary<BadInput>[] = [
    fc
      .array(fc.tuple(keyOf(fieldsOf(route.query)), anyText), { minLength: 1, maxLength: 4 })
      .map((query) => ({ query })),
  ]
  if (route.path.includes(':')) parts.push(anyText.map((id) => ({ id })))
  if (route.bytesMax !== undefined) {
    parts.push(
      fc.uint8Array({ maxLength: 2_000 }).map((bytes) => ({ body: Buffer.from(bytes) })),
      fc.array(fc.array(anyText, { maxLength: 6 }), { maxLength: 8 }).map((rows) => ({
        body: Buffer.from(rows.map((cells) => cells.join(',')).join('\n')),
      })),
    )
  } else if (route.method !== 'GET') {
    const pairs = fc.array(fc.tuple(keyOf(bodyFieldsOf(route)), anyValue), { minLength: 1, maxLength: 3 })
    parts.push(
      pairs.map((bad) => ({ body: jsonOf([...Object.entries(validBody ?? {}), ...bad]) })),
      anyObject.map((bad) => ({ body: jsonOf(bad) })),
      fc.oneof(anyText, fc.integer(), fc.boolean(), fc.array(anyText, { minLength: 1 })).map((body) => ({
        body: JSON.stringify(body),
      })),
      anyText.map((text) => ({ body: `{${text}` })),
    )
  }
  if (route.path === '/partner/mcp') parts.push(badToolCall())
  const input = fc.oneof(...parts)
  return record === undefined
    ? input
    : fc.oneof(
        input,
        input.map((bad) => ({ id: record, ...bad })),
      )
}

function keyOf(fields: string[]): fc.Arbitrary<string> {
  return fields.length === 0 ? anyKey : fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...fields) }, anyKey)
}

/** Writes JSON with `__proto__` and repeated keys, which an object would lose. */
function jsonOf(pairs: [string, unknown][]): string {
  return `{${pairs.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`).join(',')}}`
}

/** The fields that a route reads from its body. A profile's body is parsed late, once the stored names are known. */
export function bodyFieldsOf(route: Route): string[] {
  const stored = { business_name: '', first_name: null, last_name: null }
  return fieldsOf(route.path === '/profile' ? profileChange(stored) : route.body)
}

/** The fields of a body or query, even if the object is the first part of a pipe. Empty if there is no schema. */
export function fieldsOf(schema: Route['body']): string[] {
  if (schema === undefined) return []
  const spelled = spelledBodyOf(schema)
  if (spelled) return Object.keys(spelled.fields)
  let definition = definitionOf(schema)
  while (definition.in) definition = definitionOf(definition.in)
  return Object.keys(definition.shape ?? {})
}

function definitionOf(schema: unknown): { in?: unknown; shape?: object } {
  return (schema as { _zod: { def: { in?: unknown; shape?: object } } })._zod.def
}
