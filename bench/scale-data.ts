import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type pg from 'pg'
import { hashPassword } from '../server/src/features/accounts/passwords.ts'
import { openDatabase } from '../server/src/platform/db/database.ts'
import { migrate } from '../server/src/platform/db/migrate.ts'
import { searchColumns } from '../server/src/platform/db/search-columns.ts'
import { startEmbeddedPostgres } from '../server/src/platform/local/embedded-postgres.ts'

const PARTNERS = 2_000
/** About 10,000 leads. */
const PAGES_AT_ONCE = 500
const TABLES = ['leads', 'deals', 'history_entries', 'notes', 'events']

/** The partner that signs in and makes the calls. This partner's list shows one hundredth of all leads. */
export const BIG_PARTNER = { email: 'big@example.com', password: 'a-password-for-the-bench' }

/** A word in the names of ten leads of the big partner, whatever the number of leads. */
export const RARE_WORD = 'zephyrine'
/** A word in about a tenth of the business names. */
export const COMMON_WORD = 'harbour'
/** A word in about a tenth of the business names in the older half of the leads. No newer lead has this word. */
export const FORMER_WORD = 'oldstead'

/**
 * With these settings, loading takes minutes instead of hours. A crash would lose the data, which does not matter here.
 */
const SETTINGS = {
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_wal_size: '8GB',
  fsync: 'off',
  full_page_writes: 'off',
  autovacuum: 'off',
  shared_buffers: '2GB',
  maintenance_work_mem: '1GB',
}

/** Fills a new data folder of the portal using SQL. `npm start` can then run on it. */
export async function loadScaleData(folder: string, leads: number, say: (text: string) => void): Promise<void> {
  const log = { debug: () => undefined, warn: (text: string) => console.error(text) }
  const server = await startEmbeddedPostgres(join(folder, 'postgres'), { log, settings: SETTINGS })
  const database = openDatabase(server.url, () => undefined)
  try {
    await migrate(database.db)
    const client = await database.pool.connect()
    // Turns off triggers and foreign keys. The inserted rows satisfy the foreign keys anyway, and `insertCounts` adds
    // the triggers' counts at the end.
    await client.query('set session_replication_role = replica')
    const restoreIndexes = await dropIndexes(client)
    const partners = await insertPartners(client)
    const work: [string, () => Promise<unknown>][] = [
      ['leads', () => insertLeads(client, partners, leads)],
      ['deals', () => insertDeals(client)],
      ['what is searched', () => fillSearchColumns(client)],
      ['history, notes, events', () => insertWhatHappened(client)],
      ['counts', () => insertCounts(client)],
      ['indexes', () => restoreIndexes(say)],
      ['vacuum', () => client.query('vacuum (freeze, analyze)')],
      ['checkpoint', () => client.query('checkpoint')],
    ]
    for (const [name, run] of work) {
      const startedAt = performance.now()
      await run()
      say(`  ${name.padEnd(24)} ${((performance.now() - startedAt) / 1_000).toFixed(0).padStart(5)} s`)
    }
    const { rows } = await client.query<{ size: string }>(
      'select pg_size_pretty(pg_database_size(current_database())) as size',
    )
    say(`  on disk                  ${rows[0]?.size}`)
    client.release()
  } finally {
    await database.close()
    await server.stop()
  }
}

/**
 * Drops the indexes, because building them at the end is quicker than maintaining them. Returns a function that
 * restores them.
 */
async function dropIndexes(client: pg.PoolClient) {
  const constraints = await client.query<{ table: string; name: string; definition: string }>(
    `select conrelid::regclass::text as table, conname as name, pg_get_constraintdef(oid) as definition
       from pg_constraint where conrelid = any ($1::regclass[]) and contype in ('p', 'u')`,
    [TABLES],
  )
  for (const { table, name } of constraints.rows) await client.query(`alter table ${table} drop constraint ${name}`)
  const indexes = await client.query<{ name: string; definition: string }>(
    `select indexname as name, indexdef as definition
       from pg_indexes where schemaname = 'public' and tablename = any ($1) order by indexname`,
    [TABLES],
  )
  for (const { name } of indexes.rows) await client.query(`drop index ${name}`)

  return async (say: (text: string) => void) => {
    const statements = [
      ...indexes.rows.map(({ name, definition }) => ({ name, text: definition })),
      ...constraints.rows.map(({ table, name, definition }) => ({
        name,
        text: `alter table ${table} add constraint ${name} ${definition}`,
      })),
    ]
    for (const { name, text } of statements) {
      const startedAt = performance.now()
      await client.query(text)
      const seconds = (performance.now() - startedAt) / 1_000
      if (seconds > 5) say(`    ${name.padEnd(22)} ${seconds.toFixed(0).padStart(5)} s`)
    }
  }
}

/**
 * Inserts the partners, each with an owner who has the partner's id. Returns the partners' ids, beginning with the big
 * partner's.
 */
async function insertPartners(client: pg.PoolClient): Promise<string[]> {
  const ids = Array.from({ length: PARTNERS }, () => randomUUID())
  await client.query(
    `insert into partners (id, business_name, crm, created_at, modified_time)
     select id, 'Partner ' || n, 'synced', now() - interval '4 years', now() - interval '4 years'
       from unnest($1::uuid[]) with ordinality as partner (id, n)`,
    [ids],
  )
  await client.query(
    `insert into people (id, partner_id, email, password_hash, role, email_verified, created_at, modified_time)
     select id, id, case n when 1 then $2 else 'partner' || n || '@example.com' end,
            case n when 1 then $3 else 'none' end, 'owner', true, now() - interval '4 years', now() - interval '4 years'
       from unnest($1::uuid[]) with ordinality as partner (id, n)`,
    [ids, BIG_PARTNER.email, await hashPassword(BIG_PARTNER.password)],
  )
  return ids
}

/**
 * Inserts three years of leads in order of time, with the partners mixed. A person submitted one in two, one in ten has
 * a verdict. One in eight is converted, one in fifty archived. One in a hundred belongs to the big partner and appears in
 * its list. The other partners have unequal shares: the first has about twenty times as many leads as the last.
 */
async function insertLeads(client: pg.PoolClient, partners: string[], leads: number): Promise<void> {
  await client.query('select setseed(0.5)')
  await insertUnlogged(
    client,
    'leads',
    `insert into leads (id, partner_id, loid, business_name, first_name, last_name, email, phone, state, loan_amount, loan_type,
                        loan_purpose, loan_term, sales_monthly, lead_status, lead_source, description, business_industry,
                        time_in_business, business_abn, partner_iso, created_at, modified_time, zoho_id, crm, converted_at,
                        deal_loid, archived_at, archived_reason, submitter_id, partner_verdict)
     select uuidv7(at - now()), partner_id, loid,
            case when i % ($1 / 10) = 0 then 'Zephyrine'
                 when random() < 0.1 then 'Harbour'
                 when random() < 0.12 and i < $1 / 2 then 'Oldstead'
                 else ($3::text[])[1 + floor(30 * random())::int] || ($4::text[])[1 + floor(30 * random())::int] end
              || ' ' || ($5::text[])[1 + floor(20 * random())::int] || case when random() < 0.5 then ' Pty Ltd' else '' end,
            first_name, last_name,
            lower(first_name || '.' || last_name) || floor(1000 * random())::int || '@' || ($8::text[])[1 + floor(8 * random())::int],
            '+614' || lpad(floor(100000000 * random())::int::text, 8, '0'),
            ($9::text[])[1 + floor(8 * random())::int],
            floor(5 + 495 * random() ^ 2) * 1000,
            ($10::text[])[1 + floor(10 * random() ^ 2)::int],
            'Growth', '24 months', floor(20 + 280 * random()) * 1000,
            ($11::text[])[1 + floor(15 * random() ^ 1.5)::int],
            ($12::text[])[1 + floor(5 * random() ^ 12)::int],
            case when random() < 0.5 then 'A business that wants to grow, and a partner who knows it well' end,
            ($13::text[])[1 + floor(16 * random())::int],
            '2-5 years',
            case when random() < 0.7 then lpad(floor(100000000000 * random())::bigint::text, 11, '0') end,
            'AU', at, at, 'Z' || i, 'synced',
            case when i % 8 = 1 then at + interval '10 days' end,
            case when i % 8 = 1 then loid end,
            case when i % 50 = 2 and i % 8 <> 1 then at + interval '20 days' end,
            case when i % 50 = 2 and i % 8 <> 1 then 'left-crm' end,
            case when random() < 0.5 then partner_id end,
            case when random() < 0.1 then ($14::text[])[1 + floor(3 * random())::int] end
       from (select i, now() - ($1 - i) * (interval '3 years' / $1) as at, ${loid('i')} as loid,
                    case when i % 100 = 0 or i % 800 = 1 or i % 5000 = 2 then ($2::uuid[])[1]
                         else ($2::uuid[])[2 + floor((cardinality($2) - 1) * random() ^ 1.5)::int] end as partner_id,
                    ($6::text[])[1 + floor(60 * random() ^ 1.5)::int] as first_name,
                    ($3::text[])[1 + floor(30 * random() ^ 1.5)::int] || ($7::text[])[1 + floor(30 * random())::int] as last_name
               from generate_series(1::int, $1::int) i
             offset 0) lead`,
    [leads, partners, ...Object.values(WORDS)],
  )
}

/**
 * SQL that turns a number into a LOID that looks random. Different numbers make different LOIDs: 40 bits, five per
 * character.
 */
function loid(number: string): string {
  const bits = `(${number}::bigint * 164028731041) & ((1::bigint << 40) - 1)`
  const characters = [35, 30, 25, 20, 15, 10, 5, 0].map(
    (shift) => `substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', (((${bits}) >> ${shift}) & 31)::int + 1, 1)`,
  )
  return `'LO-' || ${characters.join(' || ')}`
}

/** Fills in the columns that the portal writes with each row (`search-columns.ts`), and packs the tables again. */
async function fillSearchColumns(client: pg.PoolClient): Promise<void> {
  const { rows: keyed } = await client.query<{ partner_id: string }>(
    `insert into keyed_partners
     select partner_id from leads where converted_at is null and archived_at is null
      group by partner_id having count(*) > 900 returning partner_id`,
  )
  const isKeyed = new Set(keyed.map((row) => row.partner_id))
  for (const table of ['leads', 'deals'] as const) {
    const { rows: sizes } = await client.query<{ pages: number }>(
      `select (pg_relation_size('${table}') / current_setting('block_size')::int)::int as pages`,
    )
    // The new versions of the rows come after these pages.
    for (let page = 0; page < (sizes[0]?.pages ?? 0); page += PAGES_AT_ONCE) {
      const { rows } = await client.query<{ ctid: string; partner_id: string }>(
        `select ctid::text, * from ${table} where ctid >= '(${page},0)' and ctid < '(${page + PAGES_AT_ONCE},0)'`,
      )
      const filled = rows.map((row) => searchColumns(table, row))
      await client.query(
        `update ${table} set search_fold = filled.fold, search_keys = filled.keys::int[]
           from unnest($1::tid[], $2::text[], $3::text[]) filled (row, fold, keys) where ${table}.ctid = filled.row`,
        [
          rows.map(({ ctid }) => ctid),
          filled.map(({ search_fold: fold }) => fold),
          filled.map(({ search_keys: keys }, at) =>
            isKeyed.has(rows[at]?.partner_id ?? '') ? `{${keys.join(',')}}` : null,
          ),
        ],
      )
    }
    await client.query(`vacuum (full) ${table}`)
  }
}

/** Inserts a deal for each converted lead. */
async function insertDeals(client: pg.PoolClient): Promise<void> {
  await insertUnlogged(
    client,
    'deals',
    `insert into deals (id, partner_id, loid, deal_name, business_name, contact_name, email, phone, amount, loan_type, stage,
                        lead_source, closing_date, probability, partner_iso, created_at, modified_time, zoho_id, crm, submitter_id)
     select uuidv7(converted_at - now()), partner_id, loid, business_name || ' – ' || loan_type, business_name,
            first_name || ' ' || last_name, email, phone,
            case when random() < 0.001 then 5000000 else loan_amount end, loan_type,
            (array['Funded','Closed','Approved','Pending Approval','Consulting With Client','Information Received',
                   'Waiting On Application','Re-Engage'])[1 + floor(8 * random() ^ 1.5)::int],
            lead_source, converted_at::date + 30, 50, partner_iso, converted_at, converted_at, 'D' || zoho_id, 'synced', submitter_id
       from leads where converted_at is not null order by converted_at`,
  )
}

/**
 * Inserts the first status of one lead in five, the stage of each deal, a note on one lead in ten, and an event for one
 * lead in five.
 */
async function insertWhatHappened(client: pg.PoolClient): Promise<void> {
  await insertUnlogged(
    client,
    'history_entries',
    `insert into history_entries (id, partner_id, kind, loid, value, changed_time, changed_by, origin)
     select uuidv7(created_at - now()), partner_id, 'lead-status', loid, 'New Lead', created_at, 'Partner', 'submitted'
       from leads where random() < 0.2
     union all
     select uuidv7(created_at - now()), partner_id, 'deal-stage', loid, stage, created_at, 'Lender', 'observed' from deals`,
  )
  await insertUnlogged(
    client,
    'notes',
    `insert into notes (id, partner_id, loid, written_on, content, created_by, created_at, zoho_id, crm)
     select uuidv7(created_at - now()), partner_id, loid, 'lead', 'The applicant prefers a call in the morning', 'Partner',
            created_at, 'N' || zoho_id, 'synced'
       from leads where random() < 0.1`,
  )
  await insertUnlogged(
    client,
    'events',
    `insert into events (id, partner_id, type, loid, data, created_at)
     select uuidv7(created_at - now()), partner_id, 'lead.created', loid,
            jsonb_build_object('business_name', business_name, 'amount', loan_amount, 'status', 'New Lead'), created_at
       from leads where random() < 0.2`,
  )
}

/** Inserts the counts that the triggers would have kept. */
async function insertCounts(client: pg.PoolClient): Promise<void> {
  await client.query(
    `insert into record_counts (partner_id, kind, value, is_converted, records, with_amount, amount)
     select partner_id, 'lead', lead_status, converted_at is not null, count(*), 0, 0
       from leads where archived_at is null group by partner_id, lead_status, converted_at is not null
     union all
     select partner_id, 'deal', stage, false, count(*), count(amount), sum(amount)
       from deals where archived_at is null group by partner_id, stage`,
  )
}

/**
 * Empties the table and fills it in one transaction. With `wal_level` minimal, PostgreSQL then does not write the
 * inserted rows to its log.
 */
async function insertUnlogged(client: pg.PoolClient, table: string, text: string, values: unknown[] = []) {
  await client.query('begin')
  await client.query(`truncate ${table}`)
  await client.query(text, values)
  await client.query('commit')
}

/**
 * Lists of words, in the order of the parameters from $3 on. The lists are short, because PostgreSQL walks through a
 * text array to find an element.
 */
const WORDS = {
  beginnings: words(
    'Ar Bel Cor Dun El Fair Glen Hal Iron Jar Kal Lam Mar Nor Oak Pem Quin Red Sil Tam Ul Ver Wil Yar Ash Brook Clif Den Ever Fal',
  ),
  ends: words(
    'acre beck combe dale field gate ham hurst ing keld ley mead mere mont more ness port ridge rock shaw stead stone thorp ton vale ville ward well wick wood',
  ),
  trades: words(
    'Freight Bakery Dental Plumbing Roofing Wines Motors Electrical Landscaping Logistics Joinery Pharmacy Cafe Fitness Legal Printing Cleaning Timber Marine Optical',
  ),
  firstNames: words(
    'Ava Liam Mia Noah Zoe Jack Ruby Oscar Isla Leo Grace Henry Chloe Max Ella Finn Sienna Archie Lily Theo Amelia Hugo Sofia Ethan Hannah Lucas Emily Aiden Layla Mason Priya Arjun Mei Chen Linh Duc Fatima Omar Aroha Tane Nkem Chidi Ana Mateo Ingrid Lars Yuki Kenji Olga Ivan Elif Emre Sana Bilal Thandi Sipho Maeve Rory Carys Rhys',
  ),
  surnames: words(
    'son sen er man well by ton ley ford worth land berg stein ova escu idis yan ishvili ani oglu ez ini eau mann ski wala kar raj nath guyen',
  ),
  domains: words(
    'example.com example.org example.net mail.example post.example work.example firm.example shop.example',
  ),
  states: words('NSW VIC QLD WA SA TAS ACT NT'),
  loanTypes: lines(
    'Term Loan|Line of Credit|Working Capital|Equipment Financing|Invoice Factoring|Merchant Cash Advance|Commercial Real Estate|Asset Based Lending|SBA Loan|Other',
  ),
  statuses: lines(
    'New Lead|Contacted|Attempting To Contact|Pre Qualified|Not Qualified|Not Contacted|Pre Call|Contact Soon|Lost Lead|Contact in Future|Unable to Contact|Re-engage|Junk Lead|Duplicate|Test Lead',
  ),
  sources: lines('Partner Portal|Referral|Website|Trade Show|Radio'),
  industries: lines(
    'Agriculture|Automotive|Construction|Education|Energy|Finance|Food & Beverage|Healthcare|Hospitality|Information Technology|Legal|Manufacturing|Real Estate|Retail|Transportation|Other',
  ),
  verdicts: lines('Declined|Eligible|More documents'),
}

function words(text: string): string[] {
  return text.split(' ')
}

function lines(text: string): string[] {
  return text.split('|')
}
