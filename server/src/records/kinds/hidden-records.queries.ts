import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import type { Reads } from '../../platform/db/hot-reads.ts'
import { sendNamed } from '../../platform/db/send-named.ts'
import type { CrmModule } from '../crm-records.ts'

interface HiddenRecord {
  zoho_id: string
  partner_id: string
  /** Whether the CRM shows the record, but with no partner. */
  is_shown: boolean
}

interface HiddenOfPartner {
  business_name: string
  records: number
  /** When the CRM first did not show one of them. */
  since: string
}

/** Notes that the CRM does not show these records with a partner. A record that is noted already keeps its time. */
export async function noteHidden(
  db: Db,
  module: CrmModule,
  records: readonly HiddenRecord[],
  at: string,
): Promise<void> {
  if (records.length === 0) return
  await db
    .insertInto('hidden_records')
    .values(records.map((record) => ({ module, ...record, since: at })))
    .onConflict((conflict) =>
      conflict.columns(['module', 'zoho_id']).doUpdateSet(({ ref }) => ({ is_shown: ref('excluded.is_shown') })),
    )
    .execute()
}

/** Forgets that these records are hidden, because the CRM shows them or the portal has removed them. */
export async function forgetHidden(db: Db, module: CrmModule, zohoIds: readonly string[]): Promise<void> {
  if (zohoIds.length === 0) return
  await db
    .deleteFrom('hidden_records')
    .where('module', '=', module)
    .where((eb) => eb('zoho_id', '=', eb.fn.any(eb.val(zohoIds))))
    .execute()
}

/**
 * Finds which of these records are hidden. Leaves out those of `shown` that the CRM did not show when they were noted, because
 * what was noted is over.
 */
export async function findHidden(
  db: Db,
  module: CrmModule,
  zohoIds: readonly string[],
  shown: readonly string[],
): Promise<ReadonlySet<string>> {
  if (zohoIds.length === 0) return new Set()
  const rows = await db
    .selectFrom('hidden_records')
    .select('zoho_id')
    .where('module', '=', module)
    .where((eb) => eb('zoho_id', '=', eb.fn.any(eb.val(zohoIds))))
    .where((eb) => eb.or([eb('is_shown', '=', true), eb.not(eb('zoho_id', '=', eb.fn.any(eb.val(shown))))]))
    .execute()
  return new Set(rows.map((row) => row.zoho_id))
}

/** The Zoho ids of the module's next `limit` hidden records after the id `after`, sorted as text. */
export async function findHiddenOfAllPartners(
  db: Db,
  module: CrmModule,
  { after, limit }: { after: string; limit: number },
): Promise<string[]> {
  const rows = await db
    .selectFrom('hidden_records')
    .select('zoho_id')
    .where('module', '=', module)
    .where('zoho_id', '>', after)
    .orderBy('zoho_id')
    .limit(limit)
    .execute()
  return rows.map((row) => row.zoho_id)
}

/** The Zoho ids of at most `limit` hidden records of this module, drawn by lot, so that none is left out for ever. */
export async function drawHiddenOfAllPartners(db: Db, module: CrmModule, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('hidden_records')
    .select('zoho_id')
    .where('module', '=', module)
    .orderBy(sql`random()`)
    .limit(limit)
    .execute()
  return rows.map((row) => row.zoho_id)
}

/** Counts the partner's hidden records, of one module or of both. */
export async function countHidden(reads: Reads, partnerId: string, module: CrmModule | null = null): Promise<number> {
  const [row] = await sendNamed<{ records: number }>(reads, {
    sql: `select count(*)::int as records from hidden_records where partner_id = $1 and module = coalesce($2, module)`,
    parameters: [partnerId, module],
  })
  return row?.records ?? 0
}

/** Counts the hidden records of each partner that has some. */
export async function countHiddenOfAllPartners(db: Db): Promise<HiddenOfPartner[]> {
  const rows = await db
    .selectFrom('hidden_records')
    .innerJoin('partners', 'partners.id', 'hidden_records.partner_id')
    .select(({ fn }) => ['business_name', fn.countAll<number>().as('records'), fn.min('since').as('since')])
    .groupBy(['partners.id', 'business_name'])
    .orderBy('business_name')
    .execute()
  return rows.map((row) => ({ ...row, records: Number(row.records) }))
}

/** Counts the leads and deals that each of these partners has, without archived and converted ones. */
export async function countShown(db: Db, partnerIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ partner_id: string; records: number }>`
    select partner_id, count(*)::int as records
      from (select partner_id from leads
               where partner_id = any(${partnerIds}) and archived_at is null and coalesce(converted_at, awaits_deal_since) is null
             union all
            select partner_id from deals where partner_id = any(${partnerIds}) and archived_at is null) as shown
     group by partner_id`.execute(db)
  return new Map(rows.map((row) => [row.partner_id, row.records]))
}

/** Counts the open leads and the deals of all partners. */
export async function countShownByAllPartners(db: Db): Promise<number> {
  const { rows } = await sql<{ records: number }>`
    select coalesce(sum(records), 0)::int as records from record_counts where not is_converted`.execute(db)
  return rows[0]?.records ?? 0
}

/** Counts how many of these records each partner has in the portal, without archived ones. */
export async function countPresent(
  db: Db,
  module: CrmModule,
  zohoIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ partner_id: string; records: number }>`
    select partner_id, count(*)::int as records from ${sql.table(module === 'Leads' ? 'leads' : 'deals')}
     where zoho_id = any(${zohoIds}) and archived_at is null
     group by partner_id`.execute(db)
  return new Map(rows.map((row) => [row.partner_id, row.records]))
}
