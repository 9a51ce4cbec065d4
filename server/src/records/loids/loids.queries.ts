import { randomBytes } from 'node:crypto'
import { loidFromBytes } from '@portal/contract/loid.ts'
import type { Deps } from '../../deps.ts'
import type { Reads } from '../../platform/db/hot-reads.ts'
import { sendNamed } from '../../platform/db/send-named.ts'

/** SQL: the LOIDs of the partner $1's referral that has the LOID $2, as a lead and as a deal (D18, D49). */
export const LOIDS_OF_REFERRAL = `select $2 as loid
  union select deal_loid from leads where partner_id = $1 and loid = $2
  union select lead_loid from deals where partner_id = $1 and loid = $2`

/** A LOID that no lead or deal has. */
export async function newLoid(reads: Reads): Promise<string> {
  const [loid] = await newLoids(reads, 1)
  return loid ?? newLoid(reads)
}

/** Makes `count` unused LOIDs. There are about 10^12 LOIDs, so a second try is rarely needed. */
async function newLoids(reads: Reads, count: number): Promise<string[]> {
  const loids = new Set<string>()
  while (loids.size < count) {
    const wanted = Array.from({ length: count - loids.size }, () => loidFromBytes(randomBytes(8)))
    const taken = await findTakenLoidsOfAllPartners(reads, wanted)
    for (const loid of wanted) if (!taken.has(loid)) loids.add(loid)
  }
  return [...loids]
}

/**
 * Finds which of these LOIDs already belong to a lead or deal. No two referrals have the same LOID, whichever partner
 * they belong to (D17); only a lead and the deal that it becomes share a LOID.
 */
async function findTakenLoidsOfAllPartners(reads: Reads, loids: readonly string[]): Promise<Set<string>> {
  const rows = await sendNamed<{ loid: string }>(reads, {
    sql: `select loid from leads where loid = any($1) union select loid from deals where loid = any($1)`,
    parameters: [loids],
  })
  return new Set(rows.map((row) => row.loid))
}

/**
 * Chooses a LOID for each CRM record: the LOID that any process chose first, otherwise the suggested LOID, otherwise a
 * new LOID.
 */
export async function chooseLoids(
  { db, reads }: Pick<Deps, 'db' | 'reads'>,
  zohoIds: readonly string[],
  suggested: ReadonlyMap<string, string>,
): Promise<Map<string, string>> {
  if (zohoIds.length === 0) return new Map()
  const loids = await newLoids(reads, zohoIds.length)
  // All processes insert in the same order, to avoid deadlocks.
  const choices = zohoIds
    .toSorted()
    .map((zoho_id, index) => ({ zoho_id, loid: suggested.get(zoho_id) ?? loids[index] ?? '' }))
  await db
    .insertInto('chosen_loids')
    .values(choices)
    .onConflict((conflict) => conflict.column('zoho_id').doNothing())
    .execute()
  return findChosenLoids(db, zohoIds)
}

/** The LOIDs that have been chosen so far, by any process. */
export async function findChosenLoids(db: Deps['db'], zohoIds: readonly string[]): Promise<Map<string, string>> {
  if (zohoIds.length === 0) return new Map()
  const rows = await db.selectFrom('chosen_loids').selectAll().where('zoho_id', 'in', zohoIds).execute()
  return new Map(rows.map((row) => [row.zoho_id, row.loid]))
}
