import type { Reads } from '../../platform/db/hot-reads.ts'
import { sendNamed } from '../../platform/db/send-named.ts'

/** SQL: how many open leads or deals the partner $1 has. */
export const OPEN_RECORDS = { leads: openRecords('lead'), deals: openRecords('deal') }

function openRecords(kind: 'lead' | 'deal'): string {
  return `select sum(records)::integer from record_counts where partner_id = $1 and kind = '${kind}' and not is_converted`
}

/** How many of the partner's open leads have each status, or how many of its deals each stage. */
export async function countByValue(
  reads: Reads,
  partnerId: string,
  kind: 'lead' | 'deal',
): Promise<Record<string, number>> {
  const rows = await sendNamed<{ value: string; records: number }>(reads, {
    sql: `select value, sum(records)::integer as records
            from record_counts where partner_id = $1 and kind = $2 and not is_converted
           group by value having sum(records) > 0`,
    parameters: [partnerId, kind],
  })
  return Object.fromEntries(rows.map(({ value, records }) => [value, records]))
}

/** How many open leads or deals the partner has, or how many with one of these statuses or stages. */
export async function countRecords(
  reads: Reads,
  partnerId: string,
  kind: 'lead' | 'deal',
  values?: readonly string[],
): Promise<number> {
  const counts = await countByValue(reads, partnerId, kind)
  return Object.entries(counts).reduce((sum, [value, records]) => {
    return !values || values.includes(value) ? sum + records : sum
  }, 0)
}
