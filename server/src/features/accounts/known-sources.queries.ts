import type { Db } from '../../db/database.ts'

/** Those of these sources from which the account with this email signed in before. */
export async function findKnownSources(db: Db, email: string, sources: readonly Buffer[]): Promise<Buffer[]> {
  const rows = await db
    .selectFrom('known_sources')
    .innerJoin('partners', 'partners.id', 'known_sources.partner_id')
    .select('source_hash')
    .where('partners.email', '=', email)
    .where('partners.closed_at', 'is', null)
    .where('source_hash', 'in', sources)
    .execute()
  return rows.map(({ source_hash }) => source_hash)
}

export async function keepKnownSources(
  db: Db,
  partnerId: string,
  sources: readonly Buffer[],
  at: string,
): Promise<void> {
  await db
    .insertInto('known_sources')
    .values(sources.map((source_hash) => ({ partner_id: partnerId, source_hash, seen_at: at })))
    .onConflict((conflict) => conflict.columns(['partner_id', 'source_hash']).doUpdateSet({ seen_at: at }))
    .execute()
}

/** Those not seen since. How many they were. */
export async function removeKnownSourcesOfAllPartners(db: Db, before: string, rowsMax: number): Promise<number> {
  const removal = await db
    .deleteFrom('known_sources')
    .where((eb) =>
      eb(
        eb.refTuple('partner_id', 'source_hash'),
        'in',
        eb
          .selectFrom('known_sources')
          .select(['partner_id', 'source_hash'])
          .where('seen_at', '<', before)
          .limit(rowsMax)
          .$asTuple('partner_id', 'source_hash'),
      ),
    )
    .executeTakeFirst()
  return Number(removal.numDeletedRows)
}
