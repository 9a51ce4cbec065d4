import * as z from 'zod/mini'
import { Nothing } from './answer.ts'
import { defineRoute } from './route.ts'

const RpcId = z.union([z.string().check(z.maxLength(200)), z.int()], { error: 'id must be a text or a whole number' })

/** A message of JSON-RPC 2.0. One without an id is a notification, which has no answer. */
export const RpcMessage = z.strictObject({
  jsonrpc: z.literal('2.0', { error: 'jsonrpc must be 2.0' }),
  id: z.optional(RpcId),
  method: z.string({ error: 'method must be text' }).check(z.maxLength(100, 'method is too long')),
  params: z.optional(z.record(z.string(), z.unknown(), { error: 'params must be an object' })),
})

export const RpcAnswer = z.object({
  jsonrpc: z.literal('2.0'),
  id: RpcId,
  result: z.optional(z.record(z.string(), z.unknown())),
  error: z.optional(z.object({ code: z.number(), message: z.string() })),
})
export type RpcAnswer = z.infer<typeof RpcAnswer>

export const askAsAssistant = defineRoute({
  method: 'POST',
  path: '/partner/mcp',
  auth: 'api-key',
  right: 'read',
  body: RpcMessage,
  answer: RpcAnswer,
  accepted: Nothing,
  envelope: 'whole',
  summary: 'One message of the Model Context Protocol (streamable HTTP, tools only), for assistants.',
})
