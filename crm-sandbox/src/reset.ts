import type { FastifyInstance } from 'fastify'
import { fillDemoData } from './demo-data.ts'
import type { Sandbox } from './sandbox-context.ts'
import { isObject } from './wire.ts'

const EMPTIED = ['records', 'deleted', 'stage_history', 'timeline', 'watches', 'notices']

/** Empties the CRM. Access tokens live on, so that clients need not sign in again; faults, switches and counts begin anew. */
export function resetRoutes(app: FastifyInstance, sandbox: Sandbox, also: { clear: (() => void)[] }) {
  app.post('/sandbox/reset', (request) => {
    const seed = isObject(request.body) && request.body['seed'] === true
    sandbox.store.transaction(() => {
      for (const table of EMPTIED) sandbox.store.run(`DELETE FROM ${table}`)
      // Tokens that still live no longer count against the throttle.
      sandbox.store.run('UPDATE access_tokens SET issued_ms = 0')
      for (const clear of also.clear) clear()
      if (seed) fillDemoData(sandbox)
    })
    return { reset: true, seeded: seed }
  })
}
