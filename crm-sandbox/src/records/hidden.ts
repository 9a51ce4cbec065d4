import type { FastifyInstance } from 'fastify'
import { isSpared } from '../faults/faults.ts'
import type { Sandbox } from '../sandbox-context.ts'
import { isObject } from '../wire/wire.ts'

const READS = /^\/crm\/v8\/(?:Leads|Deals|Tasks)(?:\/(?:search|\d+(?:\/Attachments)?))?(?:\?|$)/
const QUERY = /\bfrom\s+(?:Leads|Deals|DealHistory)\b/i

/**
 * While the API user may see no leads, deals and tasks, reads of them and of their files are answered as if there were
 * none. Zoho answers so, with 204, when a role or a sharing rule hides records. The list of deleted records is not affected,
 * nor are calls that play the lender's staff.
 */
export function hideRecords(app: FastifyInstance, sandbox: Sandbox) {
  app.addHook('preHandler', async (request, reply) => {
    if (sandbox.behaviour().apiUserSeesRecords || isSpared(request)) return
    const query = isObject(request.body) ? JSON.stringify(request.body['select_query']) : ''
    const isRead =
      request.method === 'GET' ? READS.test(request.url) : request.url === '/crm/v8/coql' && QUERY.test(query)
    if (isRead) return reply.code(204).send()
  })
}
