import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { loidFromBytes } from '@portal/contract/loid.ts'
import { formatPhone } from '@portal/contract/phone.ts'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { newId } from '../../platform/db/ids.ts'
import type { LeadRow } from '../../platform/db/tables.ts'
import { openDatabaseProxy } from '../../testing/database-proxy.ts'
import { createDatabase } from '../../testing/databases.ts'
import { startPortal, type TestPartner, type TestPortal } from '../../testing/start-portal.ts'
import { waitFor } from '../../testing/wait-for.ts'

const RECORDS = 1_000
const SOFFICE = ['/usr/bin/soffice', '/usr/bin/libreoffice'].find((file) => existsSync(file))

/** What spreadsheets, parsers and encodings have stumbled over. */
const PIECES = [
  '=1+1',
  '+61',
  '-2',
  '@SUM(A1)',
  '＝１＋１',
  '＋',
  '－',
  '＠',
  "'",
  "''",
  '"',
  '""',
  ',',
  ';',
  '\n',
  '\r\n',
]
const MORE = [
  '\r',
  '\t',
  ' ',
  '🚚',
  'é',
  '中文',
  '012',
  '1e5',
  '2026-01-02',
  'TRUE',
  '=cmd|’/c calc’!A1',
  'Smith',
  '#N/A',
]

const text = fc
  .array(fc.oneof(fc.constantFrom(...PIECES, ...MORE), fc.string({ unit: 'grapheme', maxLength: 4 })), {
    minLength: 1,
    maxLength: 5,
  })
  .map((pieces) => pieces.join('').replaceAll('\u0000', ''))
  .filter((joined) => joined !== '' && joined.isWellFormed())
const some = fc.option(text)
const amount = fc.option(fc.integer({ min: 0, max: 99_999_999 }).map((cents) => cents / 100))
const lead = fc.record({
  business_name: some,
  first_name: some,
  last_name: some,
  email: some,
  phone: fc.option(fc.constantFrom('+61491570156', '+6421123456', '+61285550100', 'call reception')),
  state: some,
  loan_amount: amount,
  loan_type: some,
  loan_purpose: some,
  loan_term: some,
  sales_monthly: amount,
  property_value: amount,
  property_debt: amount,
  lead_source: some,
  business_industry: some,
  time_in_business: some,
  business_abn: fc.option(fc.constantFrom('01234567890', '51824753556')),
  description: some,
})

/** The columns of the file that hold a field as it is, after the guard is taken off. */
const FIELDS: [column: string, field: keyof LeadRow][] = [
  ['Business Name', 'business_name'],
  ['LOID', 'loid'],
  ['Email', 'email'],
  ['State', 'state'],
  ['Status', 'lead_status'],
  ['Loan Amount', 'loan_amount'],
  ['Loan Type', 'loan_type'],
  ['Loan Purpose', 'loan_purpose'],
  ['Loan Term', 'loan_term'],
  ['Monthly Sales', 'sales_monthly'],
  ['Property Value', 'property_value'],
  ['Outstanding Debt', 'property_debt'],
  ['Lead Source', 'lead_source'],
  ['Industry', 'business_industry'],
  ['Time in Business', 'time_in_business'],
  ['ABN/UIN', 'business_abn'],
  ['Description', 'description'],
]

async function insertRandomLeads(portal: TestPortal, partner: TestPartner) {
  const at = Date.parse('2026-01-01T00:00:00Z')
  const rows = fc.sample(lead, { numRuns: RECORDS, seed: 37 }).map((given, index) => {
    const bytes = [0, 0, 0, 0, 0, 0, Math.floor(index / 32), index]
    const created_at = new Date(at + index).toISOString()
    const own = {
      id: newId(),
      partner_id: partner.id,
      loid: loidFromBytes(Uint8Array.from(bytes)),
      created_at,
      modified_time: created_at,
    }
    return { ...given, ...own, lead_status: 'New Lead', owns_property: true, crm: 'synced' as const }
  })
  for (let from = 0; from < rows.length; from += 250) {
    await portal.deps.db
      .insertInto('leads')
      .values(rows.slice(from, from + 250))
      .execute()
  }
  return rows
}

async function exported(portal: TestPortal, { token }: TestPartner): Promise<Buffer> {
  const headers = { authorization: `Bearer ${token}` }
  const answer = await fetch(`${portal.url}/api/dashboard/leads/export?order=asc`, { headers })
  return Buffer.from(await answer.arrayBuffer())
}

/** Takes the guard off, as an import does (D82). */
function unguarded(cell: string | undefined): string | undefined {
  return cell !== undefined && /^'+[=+\-@\t\r＝＋－＠]/.test(cell) ? cell.slice(1) : cell
}

test('an export may use the database for longer than other requests', async () => {
  const own = await createDatabase()
  await using proxy = await openDatabaseProxy(own.url)
  await using portal = await startPortal({
    on: { database: { ...own, url: proxy.url } },
    env: { ROLE: 'web', DATABASE_TIMEOUT_MS: '1000' },
  })
  const partner = await portal.newPartner()
  const rows = await insertRandomLeads(portal, partner)
  // Each statement is in time, but twenty of them take longer than a request may use the database.
  proxy.delay(100)
  const read: string[][] = parse(await exported(portal, partner), { bom: true, record_delimiter: '\r\n' })
  expect(read).toHaveLength(rows.length + 1)
})

test('a partner’s exports leave a place for another partner’s', async () => {
  await using portal = await startPortal({ env: { ROLE: 'web' } })
  const [partner, other] = [await portal.newPartner(), await portal.newPartner()]
  const ask = async ({ token }: TestPartner) => {
    const headers = { authorization: `Bearer ${token}` }
    const answer = await fetch(`${portal.url}/api/dashboard/leads/export`, { headers })
    return { status: answer.status, text: answer.text() }
  }
  const first = await portal.deps.db.transaction().execute(async (tx) => {
    // Until this transaction ends, nobody reads the leads.
    await sql`lock table leads in access exclusive mode`.execute(tx)
    const asked = await ask(partner)
    expect([asked.status, (await ask(partner)).status, (await ask(other)).status]).toEqual([200, 429, 200])
    return asked
  })
  expect(await first.text).toMatch(/^Business Name,/)
  expect((await ask(partner)).status).toBe(200)
})

test('a reader that takes its exports slowly has three of them at most', async () => {
  await using portal = await startPortal({ env: { ROLE: 'web' } })
  const partner = await portal.newPartner()
  // More than the kernel takes for a reader that does not read.
  await sql`
    insert into leads (id, partner_id, loid, lead_status, description, created_at, modified_time, crm, owns_property)
    select gen_random_uuid(), ${partner.id}, 'LO-' || number, 'New Lead', repeat('Slow. ', 5000), now(), now(), 'synced', false
      from generate_series(10000001, 10000800) as number`.execute(portal.deps.db)
  const ask = async () => {
    const asking = request(`${portal.url}/api/dashboard/leads/export`, {
      headers: { authorization: `Bearer ${partner.token}` },
    })
    const [answer]: IncomingMessage[] = await once(asking.end(), 'response')
    if (answer?.statusCode === 429) answer.resume()
    return answer
  }
  /** An export is not asked for while the one before it is read from the database. */
  const askInTurn = () =>
    waitFor('an answer', async () => {
      const answer = await ask()
      return answer?.headers['retry-after'] === '10' ? undefined : answer
    })
  const [first, ...others] = [await askInTurn(), await askInTurn(), await askInTurn()]
  expect([first, ...others].map((answer) => answer?.statusCode)).toEqual([200, 200, 200])
  expect((await askInTurn())?.headers['retry-after']).toBe('60')
  first?.destroy()
  const next = await waitFor('the place of the reader that left', async () => {
    const answer = await askInTurn()
    return answer?.statusCode === 200 && answer
  })
  for (const answer of [next, ...others]) answer?.destroy()
})

test('an export of 1,000 random leads is read back without a difference, and no cell of it is a formula', async () => {
  await using portal = await startPortal({ env: { ROLE: 'web' } })
  const partner = await portal.newPartner()
  const rows = await insertRandomLeads(portal, partner)
  const file = await exported(portal, partner)
  const read: Record<string, string>[] = parse(file, { bom: true, columns: true, record_delimiter: '\r\n' })
  const differences = rows.flatMap((row, index) => {
    const found = read[index] ?? {}
    const phone = formatPhone(row.phone) ?? ''
    const name = [row.first_name, row.last_name].filter((part) => part !== null).join(' ')
    const fields = FIELDS.filter(
      ([column, field]) => unguarded(found[column]) !== String(Reflect.get(row, field) ?? ''),
    )
    return [
      ...fields.map(([column]) => `${row.loid} ${column}`),
      ...(found['Phone'] === phone ? [] : [`${row.loid} Phone`]),
      ...(unguarded(found['Lead Name']) === name ? [] : [`${row.loid} Lead Name`]),
    ]
  })
  expect([read.length, differences]).toEqual([RECORDS, []])
  const formulas = read.flatMap(({ Phone: _, ...cells }) =>
    Object.values(cells).filter((cell) => /^[=+\-@\t\r]/.test(cell)),
  )
  expect(formulas).toEqual([])
})

test.skipIf(SOFFICE === undefined)('in LibreOffice no cell of an export is a formula', async () => {
  await using portal = await startPortal({ env: { ROLE: 'web' } })
  const partner = await portal.newPartner()
  await insertRandomLeads(portal, partner)
  const folder = await mkdtemp(join(tmpdir(), 'portal-office-'))
  try {
    const csv = join(folder, 'leads.csv')
    await writeFile(csv, await exported(portal, partner))
    const profile = `-env:UserInstallation=file://${folder}/profile`
    const args = [profile, '--headless', '--convert-to', 'fods', '--outdir', folder, csv]
    await promisify(execFile)(SOFFICE ?? '', args)
    expect(await readFile(join(folder, 'leads.fods'), 'utf8')).not.toContain('table:formula')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
