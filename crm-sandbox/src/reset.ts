import type { FastifyInstance } from 'fastify'
import { fillDemoData } from './demo/demo-data.ts'
import type { Sandbox } from './sandbox-context.ts'
import { forgetThrottle } from './wire/access-tokens.ts'
import { isObject } from './wire/wire.ts'

const EMPTIED = [
  'records',
  'deleted',
  'stage_history',
  'timeline',
  'attachments',
  'attachment_contents',
  'watches',
  'notices',
]

/**
 * Empties the CRM and resets faults, switches, fields and counts. On request, it then fills in the demo data. Access
 * tokens stay valid, so clients do not need new tokens.
 */
export function resetRoutes(app: FastifyInstance, sandbox: Sandbox, also: { clear: (() => void)[] }) {
  app.post('/sandbox/reset', (request) => {
    const seed = isObject(request.body) && request.body['seed'] === true
    sandbox.store.transaction(() => {
      for (const table of EMPTIED) sandbox.store.run(`DELETE FROM ${table}`)
      forgetThrottle(sandbox)
      for (const clear of also.clear) clear()
      if (seed) fillDemoData(sandbox)
    })
    return { reset: true, seeded: seed }
  })
}
