import { comparedEmail } from '@portal/contract/text.ts'
import { sql } from 'kysely'
import type { Db } from '../platform/db/database.ts'
import { escapeLike } from '../platform/db/sql-conditions.ts'
import { comparedName } from '../records/partners/compared-name.ts'
import { findWithoutComparedNameOfAllPartners } from '../records/partners/partners.queries.ts'

/**
 * For operators: lists the partners whose accounts are not closed, the oldest first. `search` is a part of the business
 * name, or of the contact's email, first name or last name.
 */
export function findOverviewOfAllPartners(db: Db, search: string | undefined) {
  let query = db
    .selectFrom('partners as partner')
    .innerJoin('partner_contacts as contact', 'contact.partner_id', 'partner.id')
    .select(['partner.id', 'business_name', 'email', 'is_active', 'email_verified', 'created_at'])
    .select(['zoho_id', 'crm', 'held_for', 'access', 'link_candidates', 'pushes_unverified'])
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

/**
 * The addresses of accounts that differ only in spelling. No new account gets such an address, but earlier versions
 * compared addresses as typed (D143).
 */
export async function findEmailsOfOneMailbox(db: Db): Promise<string[][]> {
  const people = () => db.selectFrom('people').select('email').orderBy('created_at').orderBy('id')
  const odd = await people().where(sql<boolean>`email ~ '[^ -~]'`).execute()
  const byMailbox = Map.groupBy(
    odd.map(({ email }) => email),
    comparedEmail,
  )
  if (byMailbox.size === 0) return []
  for (const { email } of await people()
    .where('email', 'in', [...byMailbox.keys()])
    .execute()) {
    const emails = byMailbox.get(email)
    if (emails && !emails.includes(email)) emails.push(email)
  }
  return [...byMailbox.values()].filter((emails) => emails.length > 1)
}

/**
 * The business names of accounts that look alike. No new account gets such a name, but earlier versions compared names
 * as typed (D132).
 */
export async function findNamesThatLookAlike(db: Db): Promise<string[][]> {
  const names = (await findWithoutComparedNameOfAllPartners(db)).map(({ business_name }) => business_name)
  const byLook = Map.groupBy(names, comparedName)
  if (byLook.size === 0) return []
  const first = await db
    .selectFrom('partners')
    .select(['business_name', 'compared_name'])
    .where('compared_name', 'in', [...byLook.keys()])
    .where('closed_at', 'is', null)
    .execute()
  for (const { business_name, compared_name } of first) byLook.get(compared_name ?? '')?.unshift(business_name)
  return [...byLook.values()].filter((alike) => alike.length > 1)
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
