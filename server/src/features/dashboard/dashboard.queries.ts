import type { PipelineStage, Stats } from '@portal/contract/dashboard.ts'
import { INACTIVE_LEAD_STATUSES, meaningOf } from '@portal/contract/meanings.ts'
import type { PersonRight } from '@portal/contract/person-rights.ts'
import type pg from 'pg'
import { sendNamed } from '../../platform/db/send-named.ts'
import type { RecordedEvent } from '../../records/events/activity.ts'
import { dataNow } from '../../records/events/data-now.ts'
import { knownEventTypes } from '../../records/events/known-types.ts'

/**
 * The figures of the dashboard's cards. The total of leads includes leads that became deals. Records that left the CRM
 * do not count (D21).
 */
export async function findStats(pool: pg.Pool, partnerId: string): Promise<Stats> {
  const rows = await sendNamed<StatsRow>(pool, {
    sql: `select coalesce(sum(records) filter (where kind = 'lead'), 0) as total_leads,
                 coalesce(sum(records) filter (where kind = 'lead' and not is_converted and lower(value) <> all ($2)), 0)
                   as active_leads,
                 coalesce(sum(records) filter (where kind = 'lead' and is_converted), 0) as converted_leads,
                 coalesce(sum(records) filter (where kind = 'deal'), 0) as total_deals,
                 coalesce(json_agg(json_build_array(value, records)) filter (where kind = 'deal'), '[]') as deals,
                 coalesce(sum(amount), 0) as total_deal_value,
                 coalesce(round(sum(amount) / nullif(sum(with_amount), 0), 2), 0) as avg_deal_size
            from record_counts where partner_id = $1`,
    parameters: [partnerId, INACTIVE_LEAD_STATUSES],
  })
  const [row] = rows
  if (!row) throw new Error('an aggregate without a row')
  const { converted_leads, deals, ...stats } = row
  const won = deals.filter(([stage]) => meaningOf('deal-stage', stage).outcome === 'funded')
  return {
    ...stats,
    won_deals: won.reduce((sum, [, records]) => sum + records, 0),
    conversion_rate: stats.total_leads === 0 ? 0 : converted_leads / stats.total_leads,
  }
}

type StatsRow = Omit<Stats, 'conversion_rate' | 'won_deals'> & {
  converted_leads: number
  /** Stages and how many deals have them. A stage may stand in several rows. */
  deals: [stage: string, records: number][]
}

export type StageCount = Pick<PipelineStage, 'stage' | 'count' | 'value'>

/** Stages with at least one deal, in no particular order. */
export async function findStageCounts(pool: pg.Pool, partnerId: string): Promise<StageCount[]> {
  return sendNamed<StageCount>(pool, {
    sql: `select value as stage, sum(records) as count, sum(amount) as value
            from record_counts where partner_id = $1 and kind = 'deal'
           group by record_counts.value having sum(records) > 0`,
    parameters: [partnerId],
  })
}

/** Finds the partner's newest events, newest first. */
export async function findRecentEvents(
  pool: pg.Pool,
  partnerId: string,
  limit: number,
  rights: readonly PersonRight[],
): Promise<RecordedEvent[]> {
  return sendNamed<RecordedEvent>(pool, {
    sql: `select id, type, loid, ${dataNow('events.data', '$1')} as data, created_at
            from events where partner_id = $1 and type in (${knownEventTypes(rights)})
           order by created_at desc, id desc
           limit $2`,
    parameters: [partnerId, limit],
  })
}
