import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/database.ts'
import { isUnusualEmail } from '../../platform/db/sql-conditions.ts'
import type { LeadRow } from '../../platform/db/tables.ts'

/**
 * Finds the CRM ids of the given leads whose deals the portal does not know. A lead that the portal itself matched with
 * a deal (D49) is included, because the CRM may convert it to another deal.
 */
export async function findLeadsWithoutDealOfAllPartners(db: Db, loids: readonly string[]): Promise<string[]> {
  if (loids.length === 0) return []
  const rows = await db
    .selectFrom('leads')
    .select('zoho_id')
    .where((eb) => eb('loid', '=', eb.fn.any(eb.val(loids))))
    .where((eb) => eb.or([eb('deal_loid', 'is', null), eb('matched_at', 'is not', null)]))
    .where('zoho_id', 'is not', null)
    .execute()
  return rows.flatMap((row) => row.zoho_id ?? [])
}

/**
 * Finds pairs of an open lead and a deal that have the same partner, the same amount, and the same email or phone, if
 * `loids` contains the lead or the deal. The result includes every match that a change to these records can make, and
 * some pairs that turn out not to match (D29).
 */
export async function findPossibleMatchesOfAllPartners(
  tx: Tx,
  loids: { leads: readonly string[]; deals: readonly string[] },
): Promise<{ lead: string; deal: string }[]> {
  const sameEmail = sql`lower(lead.email) = lower(deal.email) and lead.email is not null and deal.email is not null`
  const samePhone = sql`phone_end(lead.phone) = phone_end(deal.phone) and phone_end(lead.phone) <> ''
    and lead.phone is not null and deal.phone is not null`
  // `lower` does not fold these emails as the portal does. There are few.
  const unusual = (side: 'lead' | 'deal') =>
    sql`lead.email is not null and deal.email is not null and lead.archived_at is null and deal.archived_at is null
    and ${isUnusualEmail(sql.ref(`${side}.email`))} and ${sql.ref(`${side}.email`)} ~ '[^!-~]'`
  const isSameContact = [sameEmail, samePhone, unusual('lead'), unusual('deal')]
  const isLead = loids.leads.length > 0 ? [sql`lead.loid = any(${loids.leads})`] : []
  const isDeal = loids.deals.length > 0 ? [sql`deal.loid = any(${loids.deals})`] : []
  const pairs = [...isLead, ...isDeal].flatMap((isChanged) =>
    isSameContact.map(
      (isSame) => sql`
        select lead.loid as lead, deal.loid as deal
          from leads lead join deals deal
            on deal.partner_id = lead.partner_id and lead.loan_amount = deal.amount and ${isSame}
         where lead.converted_at is null and lead.archived_at is null and deal.archived_at is null and ${isChanged}`,
    ),
  )
  if (pairs.length === 0) return []
  const { rows } = await sql<{ lead: string; deal: string }>`${sql.join(pairs, sql` union `)}`.execute(tx)
  return rows
}

/** Finds the open leads among the given ones, the oldest first. */
export function findOpenLeadsOfAllPartners(tx: Tx, loids: readonly string[]): Promise<LeadRow[]> {
  return tx
    .selectFrom('leads')
    .selectAll()
    .where('converted_at', 'is', null)
    .where('archived_at', 'is', null)
    .where((eb) => eb('loid', '=', eb.fn.any(eb.val(loids))))
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

/** Marks each of these leads as replaced by the deal that it matches (D49). Returns the leads that were still open. */
export async function markLeadsMatchedOfAllPartners(
  tx: Tx,
  matches: readonly { lead: string; deal: string }[],
  at: string,
) {
  const { rows } = await sql<{
    partner_id: string
    loid: string
    deal_loid: string
    business_name: string | null
    loan_amount: number | null
    /** True if the lead was submitted in the portal, not created in the CRM. */
    is_submitted: boolean
  }>`
    update leads
       set converted_at = greatest(leads.created_at, deals.created_at), matched_at = ${at}, deal_loid = deals.loid
      from unnest(${matches.map((one) => one.lead)}::text[], ${matches.map((one) => one.deal)}::text[]) as matched (lead, deal)
      join deals on deals.loid = matched.deal
     where leads.loid = matched.lead and leads.archived_at is null and leads.converted_at is null
    returning leads.partner_id, leads.loid, leads.deal_loid, leads.business_name, leads.loan_amount,
              leads.crm_sent_at is not null or leads.zoho_id is null as is_submitted`.execute(tx)
  return rows
}

/**
 * Restores the leads that these deals had replaced, if the deals are gone or belong to another partner. Returns the
 * leads' LOIDs.
 */
export async function restoreMatchedLeadsOfAllPartners(tx: Tx, dealLoids: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ loid: string }>`
    update leads set converted_at = null, matched_at = null, match_told = false, deal_loid = null
      from deals
     where deals.loid = any(${dealLoids}) and leads.loid = deals.lead_loid and leads.matched_at is not null
       and (deals.archived_at is not null or deals.partner_id <> leads.partner_id)
    returning leads.loid`.execute(tx)
  return rows.map((row) => row.loid)
}

/**
 * Finds the leads that the CRM converted to these deals, if lead and deal have the same partner but different LOIDs.
 */
export async function findLeadsMadeDealsOfAllPartners(
  tx: Tx,
  deals: readonly { partner_id: string; loid: string }[],
): Promise<{ partner_id: string; loid: string; deal_loid: string | null }[]> {
  if (deals.length === 0) return []
  const { rows } = await sql<{ partner_id: string; loid: string; deal_loid: string | null }>`
    select leads.partner_id, leads.loid, leads.deal_loid
      from unnest(${deals.map((one) => one.partner_id)}::uuid[], ${deals.map((one) => one.loid)}::text[]) as made (partner_id, loid)
      join leads on leads.partner_id = made.partner_id and leads.deal_loid = made.loid and leads.loid <> made.loid
     where leads.converted_at is not null and leads.archived_at is null and leads.matched_at is null`.execute(tx)
  return rows
}

/** Marks the partner's replaced leads as counted in a sync's result. Returns how many had not been counted before. */
export async function tellMatchedLeads(tx: Tx, partnerId: string): Promise<number> {
  const told = await tx
    .updateTable('leads')
    .set({ match_told: true })
    .where('partner_id', '=', partnerId)
    .where('matched_at', 'is not', null)
    .where('match_told', '=', false)
    .executeTakeFirst()
  return Number(told.numUpdatedRows)
}
