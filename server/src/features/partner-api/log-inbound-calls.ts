import { BODY_BYTES_MAX } from '@portal/contract/limits.ts'
import { INBOUND_LABELS } from '@portal/contract/webhooks.ts'
import type { FastifyInstance } from 'fastify'
import * as z from 'zod/mini'
import type { Deps } from '../../deps.ts'
import { withoutKeys } from '../api-keys/key-format.ts'
import { insertInboundCall } from '../webhooks/inbound-log.queries.ts'

const LOGGED = new Set(Object.keys(INBOUND_LABELS))

/**
 * Logs every submission that a known caller makes to the routes in `INBOUND_LABELS`, including refused and repeated calls
 * (D37). Writes the row before the answer is sent, so that a crash never leaves an answer without its row. If the row
 * cannot be written, the caller still gets the answer.
 */
export function logInboundCalls(app: FastifyInstance, { db, clock }: Pick<Deps, 'db' | 'clock'>): void {
  app.addHook('onSend', async (request, reply, payload) => {
    const endpoint = request.routeOptions.url ?? ''
    if (request.method !== 'POST' || !LOGGED.has(endpoint) || request.caller === null) return
    const answer = readAnswer(payload)
    const call = {
      partner_id: request.caller.id,
      endpoint,
      api_key: 'keyHash' in request.caller ? request.caller.submitter.name : null,
      status: reply.statusCode < 400 ? ('success' as const) : ('failed' as const),
      response_status: reply.statusCode,
      loid: answer.data?.loid ?? null,
      error_message: kept(answer.error),
      request_body: kept(request.bodyText),
      response_body: kept(payload),
    }
    await insertInboundCall(db, call, clock.now()).catch((error: unknown) => {
      request.log.error({ err: error }, 'the webhook log lacks a call that was answered')
    })
  })
}

const Answer = z.object({
  data: z.optional(z.object({ loid: z.optional(z.string()) })),
  error: z.optional(z.string()),
})

function readAnswer(payload: unknown): z.output<typeof Answer> {
  return typeof payload === 'string' ? Answer.parse(JSON.parse(payload)) : {}
}

/**
 * Makes a text ready for the log: at most 64 KiB, without NUL characters, which PostgreSQL cannot store, and without
 * API keys. Headers, which contain the caller's key, are not logged.
 */
function kept(text: unknown): string | null {
  if (typeof text !== 'string') return null
  const storable = withoutKeys(text).replaceAll('\u0000', '\ufffd')
  if (Buffer.byteLength(storable) <= BODY_BYTES_MAX) return storable
  // If the cut falls within a character, this character is left out.
  return new TextDecoder().decode(Buffer.from(storable).subarray(0, BODY_BYTES_MAX), { stream: true })
}
