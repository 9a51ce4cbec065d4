import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Import, ImportRow } from '@portal/contract/imports.ts'
import { CONSENT_VERSION } from '@portal/contract/lead-form.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type KillablePortal, startKillablePortal } from '../../testing/killable-portal.ts'
import { openRandom, type Random, seedsOf } from '../../testing/random.ts'
import { newLead, startPortal, type TestPartner, type TestPortal } from '../../testing/start-portal.ts'
import { waitFor } from '../../testing/wait-for.ts'

/** The portal that people use. Another process submits the rows, and is killed. */
let portal: TestPortal
let folder: string
let worker: KillablePortal
const startWorker = () => startKillablePortal({ databaseUrl: portal.database.url, folder })
beforeAll(async () => {
  portal = await startPortal({ env: { ROLE: 'web' } })
  folder = await mkdtemp(join(tmpdir(), 'portal-killed-'))
  worker = await startWorker()
})
afterAll(async () => {
  await worker.kill()
  await portal[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

const FIELDS = ['Ref', 'Company', 'Given Name', 'Surname', 'E-mail', 'Mobile', 'ABN', 'Loan Amount', 'Notes'] as const
type Line = Record<(typeof FIELDS)[number], string>
interface Made {
  line: Line
  standing: ImportRow['standing']
}

function goodLine(random: Random, number: number): Line {
  const amount = random.pick(['', '150k', '50000', '$1,250,000.00', "25'000"])
  return {
    Ref: String(number),
    Company: random.pick([`Café ${number}`, `=SUM(${number})`, `'-${number} Pty Ltd`, `"Quoted", ${number}; Müller`]),
    'Given Name': random.pick(['Zoë', 'Nkem', "O'Brien", 'Anna Maria']),
    Surname: `Lee ${number}`,
    'E-mail': random.chance(0.3) ? `ROBIN${number}@Example.com` : `robin${number}@example.com`,
    Mobile: random.pick(['+61 4', '04', '00614']) + String(20_000_000 + number),
    ABN: random.chance(0.3) ? String(51_000_000_000 + number) : '',
    'Loan Amount': amount,
    Notes: random.pick(['', 'Two lines\nof notes', 'Ünï', '+1 more; and "that"']),
  }
}

const FAULTS: Partial<Line>[] = [
  { 'E-mail': 'nobody(at)example.com' },
  { 'E-mail': '' },
  { Mobile: '12' },
  ...['2026-11-27', '3-11-2026', '27.11.2026', '2021-01-02 00:00:00', '6.14E+10'].map((Mobile) => ({ Mobile })),
  { 'Loan Amount': '10k to 20k' },
  { Surname: '' },
]

/** Rows with how each must stand: a row that repeats a good one above is a duplicate. */
function makeRows(random: Random, count: number): Made[] {
  const good: Line[] = []
  return Array.from({ length: count }, (_, number): Made => {
    const line = goodLine(random, number)
    const above = random.chance(0.05) && good.length > 0 ? random.pick(good) : undefined
    if (above) {
      const same = random.pick<keyof Line>(['E-mail', 'Mobile'])
      return { line: { ...line, [same]: above[same] }, standing: 'duplicate' }
    }
    if (random.chance(0.08)) return { line: { ...line, ...random.pick(FAULTS) }, standing: 'wrong' }
    // A spreadsheet ate the first 0: a person has to say so.
    if (random.chance(0.02)) return { line: { ...line, Mobile: `4${20_000_000 + number}` }, standing: 'wrong' }
    good.push(line)
    return { line, standing: 'ready' }
  })
}

function fileOf(random: Random, rows: readonly Made[]): Buffer {
  const [separator, end] = [random.pick([',', ';', '\t']), random.pick(['\n', '\r\n'])]
  const columns = [...FIELDS].toSorted(() => random.next() - 0.5)
  const quoted = (text: string) => (/[\s"',;=+-]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
  const lines = rows.map(({ line }) => columns.map((column) => quoted(line[column])).join(separator))
  const text = [columns.map(quoted).join(separator), ...lines].join(end)
  return random.pick([
    () => Buffer.from(text),
    () => Buffer.from(`\uFEFF${text}`),
    () => Buffer.from(text, 'latin1'),
    () => Buffer.from(`\uFEFF${text}`, 'utf16le'),
    () => Buffer.from(`\uFEFF${text}`, 'utf16le').swap16(),
  ])()
}

async function check(partner: TestPartner, file: Buffer): Promise<Import> {
  const { status, body } = await partner.post('/dashboard/leads/imports', file)
  expect([status, body.error]).toEqual([201, undefined])
  return body.data
}

async function rowsOf(partner: TestPartner, id: string): Promise<ImportRow[]> {
  const rows: ImportRow[] = []
  for (let page = 1; ; page += 1) {
    const { body } = await partner.get(`/dashboard/leads/imports/${id}/rows?limit=100&page=${page}`)
    rows.push(...body.data.rows)
    if (!body.pagination.has_more) return rows
  }
}

/** Kills the process that submits the rows, and starts it again. Its jobs are due at once, without waiting until it counts as dead. */
async function killWorker(): Promise<void> {
  await worker.kill()
  await portal.deps.pool.query(`update jobs.job set state = 'retry', start_after = now() where state = 'active'`)
  worker = await startWorker()
}

/** Waits as long as rows are submitted. */
async function ended(partner: TestPartner, id: string): Promise<Import> {
  for (let seen = -1; ; ) {
    const found: Import = await waitFor('the next rows', async () => {
      const { data } = (await partner.get(`/dashboard/leads/imports/${id}`)).body
      return (data.state === 'done' || data.submitted + data.left_out > seen) && data
    })
    if (found.state === 'done') return found
    seen = found.submitted + found.left_out
  }
}

/** `IMPORT_RUNS=100` plays a hundred files of up to 5,000 rows, beginning with `IMPORT_SEED`. */
const rowsMax = process.env['IMPORT_RUNS'] === undefined ? 250 : 5_000
test.each(seedsOf('IMPORT'))(
  'what the check predicts happens, although the process is killed and leads arrive meanwhile; what changed is said by row; the same file again writes nothing (seed %i)',
  { timeout: 600_000 },
  async (seed) => {
    const random = openRandom(seed)
    const partner = await portal.newPartner()
    const share = random.next()
    const made = makeRows(random, Math.ceil(20 * (rowsMax / 20) ** share))
    const file = fileOf(random, made)
    const { id, standings } = await check(partner, file)
    const predicted = await rowsOf(partner, id)
    expect(predicted.map(({ standing }) => standing)).toEqual(made.map(({ standing }) => standing))
    const withDuplicates = random.chance(0.3)
    const chosen = predicted.filter(
      ({ standing }) => standing === 'ready' || (withDuplicates && standing === 'duplicate'),
    )
    if (chosen.length === 0) return

    /** The leads that others submit meanwhile, by LOID, each like one of the rows. */
    const meanwhile = new Map<string, string>()
    const write = async () => {
      const { email } = random.pick(chosen).lead ?? {}
      const phone = `0391 ${String(100_000 + meanwhile.size).slice(0, 3)} ${String(100_000 + meanwhile.size).slice(3)}`
      const form = newLead({
        email,
        phone: phone.replace('0391', '03 91'),
        businessName: `Meanwhile ${meanwhile.size}`,
      })
      const { status, body } = await partner.post('/dashboard/leads', form)
      expect([status, body.error]).toEqual([201, undefined])
      meanwhile.set(body.data.loid, String(email))
    }
    for (let left = random.below(4); left > 0; left -= 1) await write()
    const before = new Set(meanwhile.values())

    const body = { consentVersion: CONSENT_VERSION, withDuplicates, rows: chosen.length }
    expect((await partner.post(`/dashboard/leads/imports/${id}/submit`, body)).status).toBe(202)
    const killAt = random.below(chosen.length)
    const others = (async () => {
      await waitFor('some rows', async () => {
        const { data } = (await partner.get(`/dashboard/leads/imports/${id}`)).body
        return data.state === 'done' || data.submitted + data.left_out >= Math.min(killAt, 1_000)
      })
      await Promise.all([killWorker(), write(), write()])
    })()
    const [done] = await Promise.all([ended(partner, id), others])

    const outcomes = await rowsOf(partner, id)
    const submitted = outcomes.filter(({ outcome }) => outcome === 'submitted')
    const changed = outcomes.filter(({ since }) => since !== null)
    expect(done).toMatchObject({
      chosen: standings.ready + (withDuplicates ? standings.duplicate : 0),
      submitted: submitted.length,
      left_out: chosen.length - submitted.length,
      changed: changed.length,
    })
    expect(outcomes.filter(({ outcome }) => outcome !== null).map(({ number }) => number)).toEqual(
      chosen.map(({ number }) => number),
    )
    for (const { lead, since, outcome } of changed) {
      const [, loid = ''] =
        /^After the check, (LO-\w+) was submitted, which looks like this row$/.exec(since ?? '') ?? []
      expect([meanwhile.get(loid), outcome]).toEqual([lead?.email, withDuplicates ? 'submitted' : 'left-out'])
    }
    const wasThere = ({ lead, standing }: ImportRow) => standing === 'ready' && before.has(lead?.email ?? '')
    expect(chosen.filter(wasThere).length).toBe(changed.filter(wasThere).length)

    const { rows: leads } = await portal.deps.pool.query(
      `select loid, email, phone, business_name, first_name || ' ' || last_name as lead_name, loan_amount::float
         from leads where partner_id = $1 and not loid = any($2)`,
      [partner.id, [...meanwhile.keys()]],
    )
    const told = submitted.map(({ loid, lead }) => ({ loid, ...lead }))
    const byLoid = (one: { loid: string | null }, other: { loid: string | null }) =>
      String(one.loid) < String(other.loid) ? -1 : 1
    expect(leads.toSorted(byLoid)).toEqual(told.toSorted(byLoid))

    // The rows that were not submitted come back as they were.
    const leftOut = outcomes.filter(({ outcome }) => outcome !== 'submitted')
    const back = (await partner.get(`/dashboard/leads/imports/${id}/left-out`)).body.data
    const returned = leftOut.length === 0 ? [] : await rowsOf(partner, (await check(partner, Buffer.from(back))).id)
    expect(returned.map(({ values }) => values)).toEqual(leftOut.map(({ values }) => values))

    const again = await check(partner, file)
    expect(again.standings.ready).toBe(0)
    expect(again.standings.known).toBe(submitted.length)
    await portal.deps.pool.query(`delete from jobs.job where name = 'push-lead'`)
  },
)
