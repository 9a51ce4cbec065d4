import type { FastifyInstance } from 'fastify'
import type { Sandbox } from '../sandbox-context.ts'
import { storedInstant } from '../wire/times.ts'
import type { Query } from '../wire/wire.ts'
import { requireModule } from './addresses.ts'
import { countRecords } from './records-table.ts'
import { searchFilter } from './search.ts'

export function countRoutes(app: FastifyInstance, sandbox: Sandbox) {
  app.get<{ Params: { module: string }; Querystring: Query }>('/crm/v8/:module/actions/count', (request) => {
    const module = requireModule(sandbox, request.params.module)
    const found = searchFilter(sandbox, module, request.query)
    if (found) return { count: countRecords(sandbox.store, `WHERE ${found.sql}`, found.params) }
    const converted = request.query['converted'] ?? 'false'
    const hides = module.name === 'Leads' && converted !== 'both'
    const until = storedInstant(sandbox.now() - sandbox.behaviour().searchLagSeconds * 1_000)
    const clause = `WHERE r.module = ? AND r.created_time <= ?${hides ? ' AND r.converted = ?' : ''}`
    const flag = hides ? [converted === 'true' ? 1 : 0] : []
    return { count: countRecords(sandbox.store, clause, [module.name, until, ...flag]) }
  })
}
