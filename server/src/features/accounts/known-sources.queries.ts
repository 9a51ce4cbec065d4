import type { Db, Tx } from '../../platform/db/database.ts'
import { removeOlder } from '../../platform/db/remove-older.ts'

/** Finds which of these sources somebody has already used to sign in to the account with this email. */
export async function findKnownSources(db: Db, email: string, sources: readonly Buffer[]): Promise<Buffer[]> {
  const rows = await db
    .selectFrom('known_sources')
    .innerJoin('people', 'people.id', 'known_sources.person_id')
    .select('source_hash')
    .where('people.email', '=', email)
    .where('source_hash', 'in', sources)
    .execute()
  return rows.map(({ source_hash }) => source_hash)
}

/** Finds which of these sources the person knows. */
export async function findSourcesOfPerson(
  tx: Db | Tx,
  personId: string,
  sources: readonly Buffer[],
): Promise<Buffer[]> {
  if (sources.length === 0) return []
  const rows = await tx
    .selectFrom('known_sources')
    .select('source_hash')
    .where('person_id', '=', personId)
    .where('source_hash', 'in', sources)
    .execute()
  return rows.map(({ source_hash }) => source_hash)
}

export async function forgetKnownSources(tx: Db | Tx, personId: string, sources: readonly Buffer[]): Promise<void> {
  if (sources.length === 0) return
  await tx.deleteFrom('known_sources').where('person_id', '=', personId).where('source_hash', 'in', sources).execute()
}

export async function keepKnownSources(
  db: Db,
  personId: string,
  sources: readonly Buffer[],
  at: string,
): Promise<void> {
  await db
    .insertInto('known_sources')
    .values(sources.map((source_hash) => ({ person_id: personId, source_hash, seen_at: at })))
    .onConflict((conflict) => conflict.columns(['person_id', 'source_hash']).doUpdateSet({ seen_at: at }))
    .execute()
}

export async function removeKnownSources(tx: Tx, personId: string): Promise<void> {
  await tx.deleteFrom('known_sources').where('person_id', '=', personId).execute()
}

/** Removes sources that were last seen before this time. Returns how many. */
export function removeKnownSourcesOfAllPartners(db: Db, before: string, rowsMax: number): Promise<number> {
  return removeOlder(
    db,
    { table: 'known_sources', key: ['person_id', 'source_hash'], time: 'seen_at' },
    before,
    rowsMax,
  )
}
