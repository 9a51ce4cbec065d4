import type { CrmModule } from '../../../records/crm-records.ts'
import { CrmRefused } from '../errors.ts'
import { moduleName } from '../field-map.ts'
import type { ZohoParts } from '../parts.ts'
import { idOf } from '../wire.ts'
import { ZohoId } from '../wire-values.ts'

/** Queries of one organisation, which remember what the organisation refuses. */
export interface Queries {
  /** The query's rows. The query gets `, column`, or '' once the organisation has refused the column. */
  coqlWithout(column: string, query: (more: string) => string, signal?: AbortSignal): Promise<unknown[]>
  /** The pages of a query, in the order of the ids. Leads also get the column `CONVERTED`, unless it was refused. */
  pagesById(
    module: CrmModule,
    columns: string,
    where: string,
    signal?: AbortSignal,
  ): AsyncIterable<{ rows: unknown[]; isLast: boolean }>
  /** The columns, and the lists of columns, that the organisation has refused. The portal does not request them again. */
  readonly refused: Set<string>
}

export const COQL_ROWS_MAX = 2_000
/** Zoho's own field. At least one organisation refuses queries that name it. */
export const CONVERTED = 'Converted__s'

export function openQueries({ api, fieldMap }: Pick<ZohoParts, 'api' | 'fieldMap'>): Queries {
  const refused = new Set<string>()

  async function coqlWithout(column: string, query: (more: string) => string, signal?: AbortSignal) {
    if (!refused.has(column)) {
      try {
        return await api.coql(query(`, ${column}`), signal)
      } catch (error) {
        if (!isInvalidQuery(error)) throw error
      }
    }
    const rows = await api.coql(query(''), signal)
    refused.add(column)
    return rows
  }

  async function* pagesById(module: CrmModule, columns: string, where: string, signal?: AbortSignal) {
    let after = ''
    for (;;) {
      const condition = after ? `(${where} and id > '${after}')` : where
      const ask = (more: string) =>
        `select ${columns}${more} from ${moduleName(fieldMap, module)} where ${condition} order by id asc limit 0, ${COQL_ROWS_MAX}`
      const rows = module === 'Leads' ? await coqlWithout(CONVERTED, ask, signal) : await api.coql(ask(''), signal)
      const last = ZohoId.safeParse(idOf(rows.at(-1))).data
      const isLast = rows.length < COQL_ROWS_MAX || last === undefined
      yield { rows, isLast }
      if (isLast) return
      after = last
    }
  }

  return { coqlWithout, pagesById, refused }
}

export function isInvalidQuery(error: unknown): boolean {
  return error instanceof CrmRefused && error.code === 'INVALID_QUERY'
}
