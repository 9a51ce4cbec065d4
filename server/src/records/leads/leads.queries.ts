import type { RemovedRecord } from '@portal/contract/answer.ts'
import { WITHDRAWN_STATUS } from '@portal/contract/choices.ts'
import { fold } from '@portal/contract/fold.ts'
import { LEAD_VERDICT } from '@portal/contract/lead-fields.ts'
import type { DuplicateLead, LeadDetail } from '@portal/contract/leads.ts'
import { DUPLICATE_WINDOW_DAYS } from '@portal/contract/limits.ts'
import { keysOf } from '@portal/contract/record-fields.ts'
import { sql } from 'kysely'
import { compiler, type Db, type Tx } from '../../platform/db/database.ts'
import type { Reads } from '../../platform/db/hot-reads.ts'
import { searchColumns } from '../../platform/db/search-columns.ts'
import { sendNamed } from '../../platform/db/send-named.ts'
import { isUnusualEmail } from '../../platform/db/sql-conditions.ts'
import { LEAD_COLUMNS, type LeadRow, type NewLeadRow } from '../../platform/db/tables.ts'
import type { Write } from '../../platform/db/write-together.ts'
import { NotFound, Removed } from '../../platform/errors.ts'
import { PASSED_TURN, type PassedTurn } from '../histories/answered-turns.queries.ts'
import { IS_DUE } from '../kinds/crm-rows.queries.ts'
import { readKey } from '../kinds/record-key.ts'

/** SQL: the lender's verdict; nothing while the organisation lacks the fields, although the rows keep them (D112). */
const IS_VERDICT_SHOWN = `exists (select from crm_field_groups where name = 'verdict')`
const VERDICT_COLUMNS = keysOf(LEAD_VERDICT)
const VERDICT_SQL = VERDICT_COLUMNS.map((column) => `case when ${IS_VERDICT_SHOWN} then ${column} end as ${column}`)

/** The columns of the contract's `Lead` that the table has. */
export const LEAD_SQL = `${LEAD_COLUMNS.join(', ')}, ${VERDICT_SQL.join(', ')}, nullif(concat_ws(' ', first_name, last_name), '') as lead_name`

/** The partner whose leads are read: its id, and the name shown with each lead. */
export interface Owner {
  id: string
  businessName: string
}

/** A lead as shown on its page. `is_due` means that its history or notes have yet to be read from the CRM (D56). */
export type OpenedLead = Omit<LeadDetail, 'side' | 'may_change'> &
  PassedTurn & { is_due: boolean; is_untouched: boolean }

/**
 * Finds a lead as `findLead` does, and also by the LOID of the deal that the lead became. Throws `Removed` for a lead that
 * the lender has removed.
 */
export async function getLead(reads: Reads, owner: Owner, idOrLoid: string): Promise<OpenedLead> {
  const key = readKey(idOrLoid)
  const lead =
    key && ((await findLeadBy(reads, owner, key)) ?? (await findLeadBy(reads, owner, { ...key, column: 'deal' })))
  if (lead) return lead
  const removed = key && (await findRemovedLead(reads, owner.id, key))
  throw removed ? new Removed('lead', removed) : noSuchLead()
}

/** Finds what the partner may know of a lead that left the CRM: nothing once the applicant's data was erased (D129). */
async function findRemovedLead(
  reads: Reads,
  partnerId: string,
  key: { column: keyof typeof IS_KEY; value: string },
): Promise<RemovedRecord | undefined> {
  const [removed] = await sendNamed<RemovedRecord>(reads, {
    sql: `select business_name, lead_status as value, archived_at as removed_at
            from leads
           where partner_id = $1 and archived_reason = 'left-crm' and deal_loid is null and erased_at is null
             and ${IS_KEY[key.column]}`,
    parameters: [partnerId, key.value],
  })
  return removed
}

/** Finds a lead by LOID or id. Does not find archived leads, except those that became a deal (D18) or were withdrawn. */
export async function findLead(reads: Reads, owner: Owner, idOrLoid: string): Promise<OpenedLead | undefined> {
  const key = readKey(idOrLoid)
  return key && findLeadBy(reads, owner, key)
}

/** SQL: a lead that is archived is still shown if it became a deal (D18) or the partner withdrew it (D86). */
const IS_SHOWN = `(archived_at is null or deal_loid is not null or archived_reason = 'withdrawn')`

/** SQL: as far as the portal knows, the lender has not touched the lead, which was entered in the portal (D86). */
const IS_UNTOUCHED = `(submitted_by is not null and touched_at is null and erased_at is null
  and archived_at is null and converted_at is null and awaits_deal_since is null and deal_loid is null)`

/**
 * SQL: what the lead's page says of the last change that was asked and is not done. Read with the lead, so that a change
 * that is made meanwhile is either waiting or in the lead.
 */
const CHANGE = `(select json_build_object('kind', kind, 'state', state, 'problem', problem,
                         'asked_at', to_char(asked_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
                    from lead_changes
                   where lead_changes.loid = leads.loid and lead_changes.partner_id = leads.partner_id)`

const IS_KEY = {
  id: 'id = $2',
  loid: 'loid = $2',
  deal: 'loid = (select lead_loid from deals where partner_id = $1 and loid = $2)',
}

async function findLeadBy(
  reads: Reads,
  owner: Owner,
  key: { column: keyof typeof IS_KEY; value: string },
): Promise<OpenedLead | undefined> {
  const rows = await sendNamed<Omit<OpenedLead, 'converted_to_deal'> & { deal_loid: string | null }>(reads, {
    sql: `select ${LEAD_SQL}, $3::text as partner, deal_loid, ${IS_DUE} as is_due,
                 case when crm <> 'synced' then crm_problem end as crm_problem,
                 case when archived_reason = 'withdrawn' then $4 else lead_status end as lead_status,
                 case when archived_reason = 'withdrawn' then archived_at end as withdrawn_at, ${IS_UNTOUCHED} as is_untouched,
                 ${CHANGE} as change, ${PASSED_TURN.leads}
            from leads
           where partner_id = $1 and ${IS_SHOWN} and ${IS_KEY[key.column]}`,
    parameters: [owner.id, key.value, owner.businessName, WITHDRAWN_STATUS],
  })
  const [row] = rows
  if (!row) return undefined
  const { deal_loid, ...lead } = row
  return { ...lead, converted_to_deal: deal_loid === null ? null : { loid: deal_loid } }
}

/** The LOIDs of a lead and of the deal that it became. */
export interface LeadKey {
  loid: string
  deal_loid: string | null
  /** When the lead became a deal (D51). */
  ended_at: string | null
  /** Whether its history or notes have yet to be read from the CRM (D56). */
  is_due: boolean
}

/** Like `findLeadKeys`, but throws NotFound if there is no such lead. */
export async function getLeadKeys(reads: Reads, partnerId: string, idOrLoid: string): Promise<[LeadKey, ...LeadKey[]]> {
  const [first, ...others] = await findLeadKeys(reads, partnerId, idOrLoid)
  if (!first) throw noSuchLead()
  return [first, ...others]
}

/**
 * Finds the partner's lead with this LOID or id. A deal's LOID finds every lead that became the deal: first the lead
 * with the same LOID (D17), then the lead with a different LOID (D49).
 */
export async function findLeadKeys(reads: Reads, partnerId: string, idOrLoid: string): Promise<LeadKey[]> {
  const key = readKey(idOrLoid)
  if (!key) return []
  return sendNamed<LeadKey>(reads, {
    sql: `select loid, deal_loid, ${IS_DUE} as is_due,
                 coalesce((select created_at from deals where partner_id = $1 and loid = leads.deal_loid), converted_at) as ended_at
            from leads
           where partner_id = $1 and ${IS_SHOWN} and ${IS_KEY_OF_ANY[key.column]}`,
    parameters: [partnerId, key.value],
  })
}

const IS_KEY_OF_ANY = {
  id: 'id = $2',
  loid: 'loid in ($2, (select lead_loid from deals where partner_id = $1 and loid = $2)) order by loid = $2 desc',
}

export function findLeadRow(db: Db | Tx, partnerId: string, loid: string): Promise<LeadRow | undefined> {
  return db
    .selectFrom('leads')
    .selectAll()
    .where('partner_id', '=', partnerId)
    .where('loid', '=', loid)
    .executeTakeFirst()
}

/** Whether the partner withdrew the lead (D86). */
export async function isWithdrawn(db: Db | Tx, partnerId: string, loid: string): Promise<boolean> {
  return (await findLeadRow(db, partnerId, loid))?.archived_reason === 'withdrawn'
}

export function insertOfLead(lead: NewLeadRow): Write {
  return compiler
    .insertInto('leads')
    .values({ ...lead, ...searchColumns('leads', lead) })
    .compile()
}

/**
 * Finds at most five leads of the last 90 days with the same email (as people see it), phone (E.164) or business number
 * (D18a), newest first.
 */
export async function findDuplicateLeads(
  db: Db,
  partnerId: string,
  wanted: { email: string | null; phones: string[]; abn: string | null },
  now: Date,
): Promise<DuplicateLead[]> {
  const { email, phones, abn } = wanted
  const alike = { emails: email === null ? [] : [email], phones, abns: abn === null ? [] : [abn] }
  const rows = await findLeadsAlike(db, partnerId, alike, DUPLICATES_SHOWN, now)
  return rows.map((row) => duplicateOf(row, wanted))
}

export const DUPLICATES_SHOWN = 5

export type LeadAlike = Pick<LeadRow, 'loid' | 'business_name' | 'created_at' | 'email' | 'phone' | 'business_abn'>

/** Finds leads of the last 90 days that have one of these emails, phones (E.164) or business numbers, newest first. */
export async function findLeadsAlike(
  db: Db,
  partnerId: string,
  { emails, phones, abns }: { emails: readonly string[]; phones: readonly string[]; abns: readonly string[] },
  rowsMax: number,
  now: Date,
): Promise<LeadAlike[]> {
  const since = new Date(now.getTime() - DUPLICATE_WINDOW_DAYS * 86_400_000).toISOString()
  const recent = db
    .selectFrom('leads')
    .where('partner_id', '=', partnerId)
    .where('archived_at', 'is', null)
    .where('created_at', '>=', since)
  const folded = new Set(emails.map(fold))
  const unusual =
    emails.length === 0
      ? []
      : await recent
          .select('email')
          .where(isUnusualEmail(sql.ref('email')))
          .execute()
  const alike = unusual.flatMap(({ email }) => (email !== null && folded.has(fold(email)) ? email : []))
  const spellings = [...new Set([...emails, ...folded, ...alike])]
  return recent
    .select(['loid', 'business_name', 'created_at', 'email', 'phone', 'business_abn'])
    .where((eb) =>
      eb.or([
        eb('email', '=', eb.fn.any(eb.val(spellings))),
        eb('phone', '=', eb.fn.any(eb.val(phones))),
        // `is not null` lets PostgreSQL use the index, which holds only rows with a business number.
        eb.and([eb('business_abn', '=', eb.fn.any(eb.val(abns))), eb('business_abn', 'is not', null)]),
      ]),
    )
    .orderBy('created_at', 'desc')
    .limit(rowsMax)
    .execute()
}

/** Says in what a lead is like the wanted one. */
export function duplicateOf(
  { loid, business_name, created_at, ...row }: LeadAlike,
  wanted: { email: string | null; phones: readonly string[]; abn: string | null },
): DuplicateLead {
  const matches: DuplicateLead['matches'] = []
  if (row.email !== null && wanted.email !== null && fold(row.email) === fold(wanted.email)) matches.push('email')
  if (row.phone !== null && wanted.phones.includes(row.phone)) matches.push('phone')
  if (row.business_abn !== null && row.business_abn === wanted.abn) matches.push('abn')
  return { loid, business_name, created_at, matches }
}

export async function countLeads(db: Db, partnerId: string): Promise<number> {
  const { count } = await db
    .selectFrom('record_counts')
    .select((eb) => eb.fn.coalesce(eb.fn.sum<number>('records'), eb.lit(0)).as('count'))
    .where('partner_id', '=', partnerId)
    .where('kind', '=', 'lead')
    .executeTakeFirstOrThrow()
  return count
}

/**
 * Removes leads that left the CRM before the given time, and returns their partners and LOIDs (D30). A lead that became
 * a deal stays while the deal exists (D18).
 */
export function removeArchivedLeadsOfAllPartners(
  tx: Tx,
  archivedBefore: string,
  rowsMax: number,
): Promise<{ partner_id: string; loid: string }[]> {
  return tx
    .deleteFrom('leads')
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('leads')
        .select('id')
        .where('archived_at', '<', archivedBefore)
        .where('archived_reason', '=', 'left-crm')
        .where((lead) =>
          lead.not(
            lead.exists(lead.selectFrom('deals').select('deals.id').whereRef('deals.loid', '=', 'leads.deal_loid')),
          ),
        )
        .limit(rowsMax),
    )
    .returning(['partner_id', 'loid'])
    .execute()
}

function noSuchLead(): NotFound {
  return new NotFound('Lead not found')
}

/** Finds out for which of these leads the applicant's data was erased, and when. */
export async function findErasedOfAllPartners(tx: Tx, loids: readonly string[]): Promise<Map<string, string>> {
  if (loids.length === 0) return new Map()
  const { rows } = await sql<{ loid: string; erased_at: string }>`
    select loid, erased_at from leads where loid = any(${loids}) and erased_at is not null`.execute(tx)
  return new Map(rows.map(({ loid, erased_at }) => [loid, erased_at]))
}

/** The verdicts of the partner's open leads, in alphabetical order. The query jumps from one to the next in the index. */
export async function findVerdicts(reads: Reads, partnerId: string): Promise<string[]> {
  const rows = await sendNamed<{ verdict: string | null }>(reads, {
    sql: `with recursive verdicts as (
            (select min(partner_verdict) as verdict from leads
              where partner_id = $1 and partner_verdict is not null and converted_at is null and archived_at is null)
            union all
            select (select min(partner_verdict) from leads
                     where partner_id = $1 and partner_verdict > verdicts.verdict
                       and converted_at is null and archived_at is null)
              from verdicts where verdicts.verdict is not null
          )
          select verdict from verdicts where verdict is not null limit $2`,
    parameters: [partnerId, VERDICTS_MAX],
  })
  return rows.flatMap(({ verdict }) => verdict ?? [])
}

/** A lender that writes other words on each lead gets a filter of this many. */
const VERDICTS_MAX = 50
