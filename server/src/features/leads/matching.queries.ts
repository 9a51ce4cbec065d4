import { sql } from 'kysely'
import type { Db, Tx } from '../../db/database.ts'

/** The CRM ids of those of these LOIDs that are open leads: their deals may be new to the portal. */
export async function findOpenLeadsByLoidOfAllPartners(db: Db, loids: readonly string[]): Promise<string[]> {
  if (loids.length === 0) return []
  const rows = await db
    .selectFrom('leads')
    .select('zoho_id')
    .where((eb) => eb('loid', '=', eb.fn.any(eb.val(loids))))
    .where('converted_at', 'is', null)
    .where('zoho_id', 'is not', null)
    .execute()
  return rows.flatMap((row) => row.zoho_id ?? [])
}

/**
 * Open leads and deals of one partner with the same amount and contact, where the lead or the deal is one of these: all that
 * a change of these can make match, and some that do not (D29).
 */
export async function findPossibleMatchesOfAllPartners(
  tx: Tx,
  loids: { leads: readonly string[]; deals: readonly string[] },
): Promise<{ lead: string; deal: string }[]> {
  const sameEmail = sql`lower(lead.email) = lower(deal.email) and lead.email is not null and deal.email is not null`
  const samePhone = sql`phone_end(lead.phone) = phone_end(deal.phone) and phone_end(lead.phone) <> ''
    and lead.phone is not null and deal.phone is not null`
  const isLead = loids.leads.length > 0 ? [sql`lead.loid = any(${loids.leads})`] : []
  const isDeal = loids.deals.length > 0 ? [sql`deal.loid = any(${loids.deals})`] : []
  const pairs = [...isLead, ...isDeal].flatMap((isChanged) =>
    [sameEmail, samePhone].map(
      (isSameContact) => sql`
        select lead.loid as lead, deal.loid as deal
          from leads lead join deals deal
            on deal.partner_id = lead.partner_id and lead.loan_amount = deal.amount and ${isSameContact}
         where lead.converted_at is null and lead.archived_at is null and deal.archived_at is null and ${isChanged}`,
    ),
  )
  if (pairs.length === 0) return []
  const { rows } = await sql<{ lead: string; deal: string }>`${sql.join(pairs, sql` union `)}`.execute(tx)
  return rows
}

/** Those of these that are open, with all that a match needs (D29), the oldest first. */
export function findMatchableLeadsOfAllPartners(tx: Tx, loids: readonly string[]) {
  return tx
    .selectFrom('leads')
    .select(['partner_id', 'loid', 'business_name', 'loan_amount', 'loan_type', 'loan_term', 'email', 'phone'])
    .where('converted_at', 'is', null)
    .where('archived_at', 'is', null)
    .where((eb) => eb('loid', '=', eb.fn.any(eb.val(loids))))
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

/** A deal takes the place of each of these leads. Those that were still open. */
export async function archiveMatchedLeadsOfAllPartners(
  tx: Tx,
  matches: readonly { lead: string; deal: string }[],
  at: string,
) {
  const { rows } = await sql<{
    partner_id: string
    loid: string
    business_name: string | null
    loan_amount: number | null
  }>`
    update leads set archived_at = ${at}, archived_reason = 'matches-deal', deal_loid = matched.deal
      from unnest(${matches.map((one) => one.lead)}::text[], ${matches.map((one) => one.deal)}::text[]) as matched (lead, deal)
     where leads.loid = matched.lead and leads.archived_at is null
    returning leads.partner_id, leads.loid, leads.business_name, leads.loan_amount`.execute(tx)
  return rows
}

/** Leads whose place these deals had taken come back when the deals go. Their LOIDs. */
export async function restoreMatchedLeadsOfAllPartners(
  tx: Tx,
  deals: readonly { partner_id: string; loid: string }[],
): Promise<string[]> {
  const partnerIds = deals.map((deal) => deal.partner_id)
  const dealLoids = deals.map((deal) => deal.loid)
  const rows = await tx
    .updateTable('leads')
    .set({ archived_at: null, archived_reason: null, deal_loid: null })
    .where((eb) => eb('partner_id', '=', eb.fn.any(eb.val(partnerIds))))
    .where((eb) => eb('deal_loid', '=', eb.fn.any(eb.val(dealLoids))))
    .where('archived_reason', '=', 'matches-deal')
    .returning('loid')
    .execute()
  return rows.map((row) => row.loid)
}
