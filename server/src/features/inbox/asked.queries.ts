import type { AttentionItem } from '@portal/contract/attention.ts'
import type pg from 'pg'
import { sendNamed } from '../../platform/db/send-named.ts'
import { versionOf } from '../../records/histories/answered-turns.queries.ts'
import { type Found, isPutAway, parametersOf, type Viewer } from './attention.queries.ts'

/**
 * Finds what the lender asks and nobody has answered, what is due first, then the oldest (D105). Only an answer settles it,
 * so it cannot be marked as done.
 */
export function findUnansweredRequests(
  pool: pg.Pool,
  viewer: Viewer,
): Promise<(Found & { request: NonNullable<AttentionItem['request']> })[]> {
  const version = versionOf('asked.crm_modified_time')
  return sendNamed(pool, {
    sql: `select asked.id as record_id, ${version} as version, record.loid, record.about, record.name, asked.asked_at as at,
                 json_build_object('id', asked.id, 'subject', asked.subject, 'reason', asked.reason,
                                   'due_on', to_char(asked.due_on, 'YYYY-MM-DD'), 'state', asked.state) as request
            from requests as asked
           cross join lateral (
             select loid, 'deal' as about, coalesce(deal_name, business_name) as name
               from deals
              where zoho_id = asked.record_zoho_id and partner_id = $1 and archived_at is null
             union all
             select coalesce(deal_loid, loid), case when deal_loid is null then 'lead' else 'deal' end, business_name
               from leads
              where zoho_id = asked.record_zoho_id and partner_id = $1 and (archived_at is null or deal_loid is not null)
             limit 1) as record
           where asked.state in ('asked', 'again')
             and not ${isPutAway('request', 'asked.id', version)}
           order by asked.due_on nulls last, asked.asked_at, asked.id
           limit $4`,
    parameters: parametersOf(viewer),
  })
}
