import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { isObject, type JsonObject } from './wire.ts'

/**
 * Zoho’s own description of its API (github.com/zoho/crm-oas, 2026, as JSON). Zoho states no licence for it, so the
 * project does not distribute it. The test reads a copy beside the checkout, and is skipped if there is no copy.
 */
const FOLDER = resolve(import.meta.dirname, '../../../../shared/reference/zoho-oas/oas31-2026')

export const hasZohoOas = existsSync(FOLDER)

const documents = new Map<string, JsonObject>()
const ajv = new Ajv2020({ strict: false, allErrors: true })
for (const format of [
  'int32',
  'int64',
  'double',
  'string',
  'binary',
  'hex-color',
  'date',
  'date-time',
  'uri',
  'email',
  '^[0-9]+$',
]) {
  ajv.addFormat(format, true)
}

/** Lists, in words, where an answer differs from Zoho's description. The list is empty if the answer fits. */
export function checkAnswer(file: string, method: string, path: string, status: number, body: unknown): string[] {
  const pointer = [
    'paths',
    path,
    method.toLowerCase(),
    'responses',
    String(status),
    'content',
    'application/json',
    'schema',
  ]
  const schema = pointer.reduce<unknown>((found, step) => (isObject(found) ? found[step] : undefined), documentOf(file))
  if (schema === undefined) return [`${file} describes no ${status} of ${method} ${path}`]
  const validate = compile(file, pointer)
  if (validate(body)) return []
  return (validate.errors ?? []).map(
    (error) => `${error.instancePath} ${error.message} ${JSON.stringify(error.params)}`,
  )
}

function compile(file: string, pointer: string[]): ValidateFunction {
  const escaped = pointer.map((step) => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1')))
  const validate = ajv.getSchema(`${file}#/${escaped.join('/')}`)
  if (!validate) throw new Error(`no schema at ${pointer.join(' ')} of ${file}`)
  return validate
}

function documentOf(file: string): JsonObject {
  const known = documents.get(file)
  if (known) return known
  const document: unknown = JSON.parse(readFileSync(join(FOLDER, `${file}.json`), 'utf8'))
  if (!isObject(document)) throw new TypeError(`${file} is not an object`)
  documents.set(file, document)
  patch(file, document)
  ajv.addSchema(document, file)
  return document
}

const FLAT_FAILURE = {
  type: 'object',
  required: ['code', 'details', 'message', 'status'],
  additionalProperties: false,
  properties: {
    code: { type: 'string' },
    details: { type: 'object' },
    message: { type: 'string' },
    status: { const: 'error' },
  },
}

/** Corrects the places where Zoho's files contradict Zoho's own pages and examples. */
function patch(file: string, document: JsonObject) {
  function answer(method: string, path: string, status: number, schema: JsonObject) {
    const responses = at(document, ['paths', path, method, 'responses'])
    responses[status] = { content: { 'application/json': { schema } } }
  }
  const schemas = (name: string) => ({ $ref: `#/components/schemas/${name}` })
  switch (file) {
    case 'record':
      walk(document, (schema) => {
        const properties = isObject(schema['properties']) ? schema['properties'] : {}
        for (const name of ['next_page_token', 'previous_page_token', 'page_token_expiry']) {
          if (isObject(properties[name])) properties[name]['type'] = ['string', 'null']
        }
        // A user in an answer also has an email address.
        if (Object.keys(properties).sort().join() === 'id,name') schema['additionalProperties'] = true
      })
      at(document, ['components', 'schemas', 'RecordGETSucessResponse', 'properties', 'data'])['maxItems'] = 200
      for (const path of ['/{module}', '/{module}/{recordID}']) answer('get', path, 400, FLAT_FAILURE)
      for (const method of ['post', 'put']) {
        const item = {
          anyOf: [
            schemas('RecordSuccessResponse/properties/data/items'),
            schemas('RecordsErrorResponse/properties/data/items'),
          ],
        }
        answer(method, '/{module}', 207, { properties: { data: { items: item } } })
      }
      // The answer to an upsert also says what the upsert did, and by which field it found the record.
      at(document, ['components', 'schemas', 'RecordSuccessResponse', 'properties', 'data', 'items'])[
        'additionalProperties'
      ] = true
      break
    case 'coql':
      walk(document, (schema) => {
        if (schema['maxItems'] === 200) schema['maxItems'] = 2_000
      })
      break
    case 'module-search':
      answer('get', '/{module}/search', 400, FLAT_FAILURE)
      break
    case 'related-records':
      // The file requires a string, but the row of the present stage has no next stage.
      walk(document, (schema) => {
        if (isObject(schema['properties']) && 'Moved_To__s' in schema['properties'])
          schema['properties']['Moved_To__s'] = true
      })
      break
    case 'related-lists':
    case 'fields':
      // The file requires about seventy keys of each field, and forbids some keys that Zoho's examples show.
      walk(document, (schema) => {
        delete schema['required']
        if (schema['additionalProperties'] === false) schema['additionalProperties'] = true
        const mapping = isObject(schema['properties']) ? schema['properties']['convert_mapping'] : undefined
        if (isObject(mapping)) mapping['type'] = ['object', 'null']
      })
      break
  }
}

function at(from: JsonObject, steps: string[]): JsonObject {
  const found = steps.reduce<unknown>((value, step) => (isObject(value) ? value[step] : undefined), from)
  if (!isObject(found)) throw new Error(`nothing at ${steps.join(' ')}`)
  return found
}

function walk(value: unknown, visit: (schema: JsonObject) => void) {
  if (Array.isArray(value)) for (const one of value) walk(one, visit)
  if (!isObject(value)) return
  visit(value)
  for (const one of Object.values(value)) walk(one, visit)
}
