import { Failure } from '@portal/contract/answer.ts'
import { ERROR_CODES } from '@portal/contract/error-codes.ts'
import { EVENT_PAYLOADS } from '@portal/contract/event-payloads.ts'
import { CHANGES_MAX, CHANGES_SIZE, CURSOR_LENGTH_MAX, IDEMPOTENCY_KEY_LENGTH_MAX } from '@portal/contract/limits.ts'
import type { Auth, Route } from '@portal/contract/route.ts'
import { type Brand, LOGO_PATH } from '../../platform/brand/brand.ts'
import {
  API_DESCRIPTION,
  API_ERRORS,
  API_TITLE,
  API_VERSION,
  IDEMPOTENCY_NOTE,
  KEY_NOTE,
  RATE_LIMIT_HEADERS,
  RETRY_AFTER,
  WEBHOOK_HEADERS,
  WEBHOOKS_DESCRIPTION,
} from './api-docs.ts'
import { answerSchema, bodyFields, eitherOr } from './body-fields.ts'
import { DOCUMENTED_ROUTES } from './documented-routes.ts'

/** The API documentation as an OpenAPI 3.1 document, from which tools generate clients and receivers. */
export function openApi(publicUrl: string, { name, logo }: Brand): object {
  return {
    openapi: '3.1.0',
    info: {
      title: API_TITLE,
      version: API_VERSION,
      description: `${API_DESCRIPTION}\n\n${WEBHOOKS_DESCRIPTION}`,
      contact: { name, url: publicUrl },
      // Known to readers of such documents, though not part of the format.
      ...(logo && { 'x-logo': { url: `${publicUrl}${LOGO_PATH}`, altText: name } }),
    },
    servers: [{ url: `${publicUrl}/api` }],
    externalDocs: { description: 'The documentation in the portal', url: `${publicUrl}/api-docs` },
    tags: [
      { name: 'Submit', description: 'Leads and deals from your own systems.' },
      { name: 'Follow', description: 'The progress of your leads and deals.' },
      { name: 'Read', description: 'All leads and deals, and what changed.' },
      { name: 'Documentation', description: 'What you are reading.' },
      { name: 'Events', description: 'What the portal sends to your endpoint.' },
    ],
    paths: pathItems(),
    webhooks: Object.fromEntries(Object.entries(EVENT_PAYLOADS).map(([type, event]) => [type, webhook(type, event)])),
    components: {
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: KEY_NOTE },
        session: { type: 'http', scheme: 'bearer', description: 'The token of a signed-in partner’s session.' },
      },
      schemas: { Failure: failureSchema() },
      headers: {
        ...Object.fromEntries(RATE_LIMIT_HEADERS.map(({ name, description }) => [name, integerHeader(description)])),
        [RETRY_AFTER.name]: integerHeader(RETRY_AFTER.description),
        ETag: { description: 'Names this answer.', schema: { type: 'string' } },
        'Idempotency-Replayed': { description: 'This is the answer to an earlier call.', schema: { const: 'true' } },
      },
      responses: Object.fromEntries(Object.keys(API_ERRORS).map((status) => [`Failure${status}`, failure(status)])),
    },
  }
}

const SECURITY: Record<Auth, object[]> = {
  none: [],
  session: [{ session: [] }],
  'api-key': [{ apiKey: [] }],
  'session-or-api-key': [{ apiKey: [] }, { session: [] }],
  'session-or-none': [{ session: [] }, {}],
}

const LIMIT_HEADERS = headerReferences(RATE_LIMIT_HEADERS.map(({ name }) => name))

function pathItems(): Record<string, object> {
  const items: Record<string, Record<string, object>> = {}
  for (const { route, operationId, tag, description, requestExample, answerExample } of DOCUMENTED_ROUTES) {
    const item = (items[route.path.replace(/:(\w+)/g, '{$1}')] ??= {})
    item[route.method.toLowerCase()] = {
      operationId,
      tags: [tag],
      summary: route.summary,
      description,
      security: SECURITY[route.auth],
      parameters: [
        ...pathParameters(route),
        ...(route.query ? READING : []),
        ...(hasEntityTag(route) ? [IF_NONE_MATCH] : []),
        ...(route.creates ? [IDEMPOTENCY_KEY] : []),
      ],
      ...(route.body && { requestBody: requestBody(route.body, requestExample) }),
      responses: {
        [route.status]: {
          description:
            route.status === 201 ? 'Stored. The record reaches the CRM in the background.' : 'The requested data.',
          headers: {
            ...LIMIT_HEADERS,
            ...(route.creates && headerReferences(['Idempotency-Replayed'])),
            ...(hasEntityTag(route) && headerReferences(['ETag'])),
          },
          content: {
            'application/json': {
              schema: {
                type: 'object',
                required: ['success', 'data'],
                properties: { success: { const: true }, data: answerSchema(route.answer) },
              },
              example: { success: true, data: answerExample },
            },
          },
        },
        ...(hasEntityTag(route) && { '304': { description: 'The answer is the one whose tag you sent.' } }),
        ...Object.fromEntries(
          failuresOf(route).map((status) => [status, { $ref: `#/components/responses/Failure${status}` }]),
        ),
      },
    }
  }
  return items
}

/**
 * The statuses with which a route's calls can fail. Only a call with a body can be refused because of its body, and only
 * a call with an id can find nothing.
 */
function failuresOf(route: Route): string[] {
  return Object.keys(API_ERRORS).filter((status) => {
    if (status === '410') return route.query !== undefined
    if (['409', '413', '415'].includes(status)) return route.body !== undefined
    return status !== '404' || route.path.includes(':')
  })
}

function pathParameters({ path }: Route): object[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    description: 'The id or the LOID.',
    schema: { type: 'string' },
  }))
}

function hasEntityTag({ method, auth }: Route): boolean {
  return method === 'GET' && auth === 'api-key'
}

/** The query of the calls that follow changes. */
const READING = [
  {
    name: 'since',
    in: 'query',
    required: false,
    description: 'The `cursor` of the answer before. Without it, the reading begins.',
    schema: { type: 'string', maxLength: CURSOR_LENGTH_MAX },
  },
  {
    name: 'limit',
    in: 'query',
    required: false,
    description: 'At most how many records the answer has.',
    schema: { type: 'integer', minimum: 1, maximum: CHANGES_MAX, default: CHANGES_SIZE },
  },
]

const IF_NONE_MATCH = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description: 'The `ETag` of an earlier answer to the same call.',
  schema: { type: 'string' },
}

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: IDEMPOTENCY_NOTE,
  schema: { type: 'string', minLength: 1, maxLength: IDEMPOTENCY_KEY_LENGTH_MAX },
}

function requestBody(body: NonNullable<Route['body']>, example: unknown): object {
  const fields = bodyFields(body)
  const properties = fields.map(({ name, schema, description }) => [name, { ...schema, description }])
  return {
    required: true,
    content: {
      'application/json': {
        schema: {
          type: 'object',
          required: fields.filter((field) => field.isRequired).map((field) => field.name),
          properties: Object.fromEntries(properties),
          anyOf: eitherOr(body).map((name) => ({ required: [name] })),
          additionalProperties: false,
        },
        example,
      },
    },
  }
}

function failure(status: string): object {
  const codes = API_ERRORS[status] ?? []
  const [code] = codes
  const isCounted = !['401', '403', '503'].includes(status)
  return {
    description: codes.map((one) => `\`${one}\`: ${ERROR_CODES[one]}`).join('\n\n'),
    headers: {
      ...(isCounted && LIMIT_HEADERS),
      ...(['429', '503'].includes(status) && headerReferences([RETRY_AFTER.name])),
    },
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Failure' },
        example: { success: false, error: code && ERROR_CODES[code], code },
      },
    },
  }
}

function failureSchema(): object {
  const schema = answerSchema(Failure)
  const codes = Object.values(API_ERRORS).flat()
  return {
    ...schema,
    description:
      '`error` is for people, `code` for programs; `fields` has one message for each invalid field, under the name that you sent.',
    properties: { ...schema.properties, code: { type: 'string', enum: codes } },
  }
}

type Event = (typeof EVENT_PAYLOADS)[keyof typeof EVENT_PAYLOADS]

function webhook(type: string, { description, schema, example }: Event): object {
  return {
    post: {
      operationId: `receive_${type.replace('.', '_')}`,
      tags: ['Events'],
      summary: description,
      security: [],
      parameters: WEBHOOK_HEADERS.map((header) => ({
        ...header,
        in: 'header',
        required: true,
        schema: { type: 'string' },
      })),
      requestBody: { required: true, content: { 'application/json': { schema: answerSchema(schema), example } } },
      responses: {
        '2XX': { description: 'Received.' },
        '410': { description: 'Nothing listens here any more: the portal disables the URL.' },
      },
    },
  }
}

function integerHeader(description: string): object {
  return { description, schema: { type: 'integer' } }
}

function headerReferences(names: string[]): Record<string, object> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}
