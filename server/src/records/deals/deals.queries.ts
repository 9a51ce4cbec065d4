import type { RemovedRecord } from '@portal/contract/answer.ts'
import type { DealDetail } from '@portal/contract/deals.ts'
import { sql } from 'kysely'
import { compiler, type Db, type Tx } from '../../platform/db/database.ts'
import type { Reads } from '../../platform/db/hot-reads.ts'
import { refillSearch, searchColumns } from '../../platform/db/search-columns.ts'
import { sendNamed } from '../../platform/db/send-named.ts'
import { DEAL_COLUMNS, type DealRow, type NewDealRow } from '../../platform/db/tables.ts'
import type { Write } from '../../platform/db/write-together.ts'
import { NotFound, Removed } from '../../platform/errors.ts'
import { PASSED_TURN, type PassedTurn } from '../histories/answered-turns.queries.ts'
import { IS_DUE } from '../kinds/crm-rows.queries.ts'
import { readKey } from '../kinds/record-key.ts'

/** A deal as shown on its page. `is_due` means that its history or notes have yet to be read from the CRM (D56). */
export type OpenedDeal = Omit<DealDetail, 'side' | 'from_referral'> & PassedTurn & { is_due: boolean }

/**
 * Finds a deal by its LOID or id, or by the LOID of the lead that became the deal (D18, D49). Throws `Removed` for a deal
 * that the lender has removed.
 */
export async function getDeal(reads: Reads, partnerId: string, idOrLoid: string): Promise<OpenedDeal> {
  const deal = await findDeal(reads, partnerId, idOrLoid)
  if (deal) return deal
  const key = readKey(idOrLoid)
  const removed = key && (await findRemovedDeal(reads, partnerId, key))
  throw removed ? new Removed('deal', removed) : noSuchDeal()
}

/** Finds what the partner may know of a deal that left the CRM: nothing once the applicant's data was erased (D129). */
async function findRemovedDeal(
  reads: Reads,
  partnerId: string,
  key: { column: keyof typeof IS_KEY; value: string },
): Promise<RemovedRecord | undefined> {
  const [removed] = await sendNamed<RemovedRecord>(reads, {
    sql: `select coalesce(business_name, deal_name) as business_name, stage as value, archived_at as removed_at
            from deals
           where partner_id = $1 and archived_reason = 'left-crm' and erased_at is null and ${IS_KEY[key.column]}`,
    parameters: [partnerId, key.value],
  })
  return removed
}

// A deal that has this LOID itself is preferred to a deal whose lead has this LOID.
const IS_KEY = { id: 'id = $2', loid: '(loid = $2 or lead_loid = $2) order by loid = $2 desc limit 1' }

export async function findDeal(reads: Reads, partnerId: string, idOrLoid: string): Promise<OpenedDeal | undefined> {
  const key = readKey(idOrLoid)
  if (!key) return undefined
  const rows = await sendNamed<OpenedDeal>(reads, {
    sql: `select ${DEAL_COLUMNS.join(', ')}, ${IS_DUE} as is_due,
                 case when crm <> 'synced' then crm_problem end as crm_problem, ${PASSED_TURN.deals}
            from deals
           where partner_id = $1 and archived_at is null and ${IS_KEY[key.column]}`,
    parameters: [partnerId, key.value],
  })
  return rows[0]
}

/** Finds a deal's LOID by the deal's id or LOID, or by the LOID of the lead that became the deal (D18, D49). */
export async function getDealLoid(db: Db | Tx, partnerId: string, idOrLoid: string): Promise<string> {
  const loid = await findDealLoid(db, partnerId, idOrLoid)
  if (loid === undefined) throw noSuchDeal()
  return loid
}

export async function findDealLoid(db: Db | Tx, partnerId: string, idOrLoid: string): Promise<string | undefined> {
  const key = readKey(idOrLoid)
  const row =
    key &&
    (await db
      .selectFrom('deals')
      .select('loid')
      .where('partner_id', '=', partnerId)
      .where((eb) =>
        key.column === 'id'
          ? eb('id', '=', key.value)
          : eb.or([eb('loid', '=', key.value), eb('lead_loid', '=', key.value)]),
      )
      .where('archived_at', 'is', null)
      // A deal that has this LOID itself is preferred to a deal whose lead has this LOID.
      .orderBy((eb) => eb('loid', '=', key.value), 'desc')
      .executeTakeFirst())
  return row?.loid
}

export function findDealRow(db: Db | Tx, partnerId: string, loid: string): Promise<DealRow | undefined> {
  return db
    .selectFrom('deals')
    .selectAll()
    .where('partner_id', '=', partnerId)
    .where('loid', '=', loid)
    .executeTakeFirst()
}

export function insertOfDeal(deal: NewDealRow): Write {
  return compiler
    .insertInto('deals')
    .values({ ...deal, ...searchColumns('deals', deal) })
    .compile()
}

/**
 * Finds the given deals that can still replace a lead, the oldest first, with the columns that matching needs (D29). A
 * deal replaces at most one lead (D30).
 */
export function findMatchableDealsOfAllPartners(tx: Tx, loids: readonly string[]) {
  return tx
    .selectFrom('deals')
    .select(['partner_id', 'loid', 'business_name', 'amount', 'loan_type', 'loan_term', 'email', 'phone'])
    .where('archived_at', 'is', null)
    .where((eb) => eb('loid', '=', eb.fn.any(eb.val(loids))))
    .where('lead_loid', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

export async function nameMatchedLeadsOfAllPartners(
  tx: Tx,
  matches: readonly { loid: string; deal_loid: string }[],
): Promise<void> {
  await sql`
    update deals
       set lead_loid = matched.lead,
           submitter_id = case when deals.submitted_by is null then leads.submitter_id else deals.submitter_id end,
           submitted_by = coalesce(deals.submitted_by, leads.submitted_by)
      from unnest(${matches.map((one) => one.loid)}::text[], ${matches.map((one) => one.deal_loid)}::text[]) as matched (lead, deal)
      join leads on leads.loid = matched.lead
     where deals.loid = matched.deal`.execute(tx)
  await refillSearch(
    tx,
    'deals',
    matches.map((one) => one.deal_loid),
  )
}

/**
 * Stores each lead's LOID in the deal that the lead became in the CRM. The lead's notes and history are then found with
 * the deal, although the two have different LOIDs (D18). A deal that replaced another lead keeps that lead's LOID.
 */
export async function nameConvertedLeadsOfAllPartners(
  tx: Tx,
  leads: readonly { partner_id: string; loid: string; deal_loid: string | null }[],
): Promise<void> {
  if (leads.length === 0) return
  const { rows: named } = await sql<{ loid: string }>`
    update deals set lead_loid = converted.lead
      from unnest(${leads.map((one) => one.partner_id)}::uuid[], ${leads.map((one) => one.loid)}::text[],
                  ${leads.map((one) => one.deal_loid)}::text[]) as converted (partner_id, lead, deal)
     where deals.loid = converted.deal and deals.partner_id = converted.partner_id and deals.lead_loid is null
    returning deals.loid`.execute(tx)
  await refillSearch(
    tx,
    'deals',
    named.map((row) => row.loid),
  )
}

/**
 * Clears `lead_loid` of these deals, and of deals whose `lead_loid` names one of these leads, if the lead no longer
 * belongs to the deal.
 */
export async function forgetMatchedLeadsOfAllPartners(
  tx: Tx,
  loids: { leads: readonly string[]; deals: readonly string[] },
): Promise<void> {
  const { rows: forgotten } = await sql<{ loid: string }>`
    update deals set lead_loid = null
      from leads
     where leads.loid = deals.lead_loid and (deals.lead_loid = any(${loids.leads}) or deals.loid = any(${loids.deals}))
       and (leads.deal_loid is distinct from deals.loid or leads.partner_id <> deals.partner_id)
    returning deals.loid`.execute(tx)
  await refillSearch(
    tx,
    'deals',
    forgotten.map((row) => row.loid),
  )
}

/** Removes deals that left the CRM before the given time, and returns their partners and LOIDs (D30). */
export function removeArchivedDealsOfAllPartners(
  tx: Tx,
  archivedBefore: string,
  rowsMax: number,
): Promise<{ partner_id: string; loid: string }[]> {
  return tx
    .deleteFrom('deals')
    .where('id', 'in', (eb) =>
      eb.selectFrom('deals').select('id').where('archived_at', '<', archivedBefore).limit(rowsMax),
    )
    .returning(['partner_id', 'loid'])
    .execute()
}

function noSuchDeal(): NotFound {
  return new NotFound('Deal not found')
}
