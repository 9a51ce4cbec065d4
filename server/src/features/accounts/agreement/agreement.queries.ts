import { sql } from 'kysely'
import type { Db, Tx } from '../../../platform/db/database.ts'

interface Accepted {
  partnerId: string
  sha256: string
  version: string
  personId: string
  ip: string | null
  at: string
  timeZone: string
}

/** Returns false if the business has accepted this agreement before. */
export async function insertAcceptance(tx: Tx, accepted: Accepted): Promise<boolean> {
  const { partnerId, sha256, version, personId, ip, at, timeZone } = accepted
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('accepted_agreements')
    .values({
      partner_id: partnerId,
      sha256,
      version,
      person_id: personId,
      ip,
      agreed_at: at,
      agreed_on: sql<string>`(${at}::timestamptz at time zone ${timeZone})::date`,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return (numInsertedOrUpdatedRows ?? 0n) > 0n
}

export async function hasAccepted(db: Db | Tx, partnerId: string, sha256: string): Promise<boolean> {
  const row = await db
    .selectFrom('accepted_agreements')
    .select('version')
    .where('partner_id', '=', partnerId)
    .where('sha256', '=', sha256)
    .executeTakeFirst()
  return row !== undefined
}

/** All acceptances of the business, the newest first. The name is null if the person is gone. */
export function findAcceptances(db: Db, partnerId: string) {
  return db
    .selectFrom('accepted_agreements as accepted')
    .leftJoin('people', 'people.id', 'accepted.person_id')
    .select(['accepted.version', 'accepted.sha256', 'accepted.agreed_at', 'accepted.ip'])
    .select(['people.first_name', 'people.last_name', 'people.email'])
    .where('accepted.partner_id', '=', partnerId)
    .orderBy('accepted.agreed_at', 'desc')
    .execute()
}
