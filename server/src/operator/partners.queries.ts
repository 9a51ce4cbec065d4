import type { Db } from '../db/database.ts'
import { escapeLike } from '../db/sql-conditions.ts'

/**
 * For operators: lists the partners whose accounts are not closed, the oldest first. `search` is a part of the business
 * name, or of the contact's email, first name or last name.
 */
export function findOverviewOfAllPartners(db: Db, search: string | undefined) {
  let query = db
    .selectFrom('partners as partner')
    .innerJoin('partner_contacts as contact', 'contact.partner_id', 'partner.id')
    .select(['partner.id', 'business_name', 'email', 'is_active', 'email_verified', 'created_at'])
    .select(['zoho_id', 'crm', 'held_for', 'link_candidates', 'pushes_unverified'])
    .where('closed_at', 'is', null)
    .select((eb) =>
      eb
        .selectFrom('record_counts')
        .select((counts) => counts.fn.coalesce(counts.fn.sum<number>('records'), counts.lit(0)).as('count'))
        .whereRef('record_counts.partner_id', '=', 'partner.id')
        .where('kind', '=', 'lead')
        .as('leads'),
    )
  if (search) {
    const pattern = `%${escapeLike(search)}%`
    query = query.where((eb) =>
      eb.or([
        eb('business_name', 'ilike', pattern),
        eb('email', 'ilike', pattern),
        eb('first_name', 'ilike', pattern),
        eb('last_name', 'ilike', pattern),
      ]),
    )
  }
  return query.orderBy('created_at').orderBy('partner.id').execute()
}

export async function findActiveOfAllPartners(db: Db): Promise<{ id: string; business_name: string }[]> {
  return db
    .selectFrom('partners')
    .select(['id', 'business_name'])
    .where('is_active', '=', true)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}
