// `npm run bench:files`: files of leads. How long the check of 5,000 rows takes right after a start and later; what twenty
// checks and twenty imports at once cost in memory, and how long another partner's leads take meanwhile; then an export of
// 100,000 leads. Exits with 1 if a goal is missed or a row is lost.
import { setTimeout as sleep } from 'node:timers/promises'
import { CONSENT_VERSION } from '../contract/src/lead-form.ts'
import { IMPORT_ROWS_MAX } from '../contract/src/limits.ts'
import { bearer } from './load.ts'
import { newLead } from './load-data.ts'
import { type Product, startProduct, withEmptyFolder } from './product.ts'

const PARTNERS = 20
/** The rows of each of the files that are submitted at once. */
const ROWS = 500
const WARM_CHECKS = 5
const EXPORTED = 100_000
const PAUSE_MS = 100
const LOOK_EVERY_MS = 200
const WAIT_MS_MAX = 900_000
const GOALS = { checkMs: 1_500, firstByteMs: 200, exportMb: 30 }

interface Caller {
  token: string
  email: string
}

let isMet = true
await withEmptyFolder(async (folder) => {
  const first = await startProduct(folder, { LOG_LEVEL: 'error' })
  const callers = await Promise.all(Array.from({ length: PARTNERS + 1 }, (_, at) => signUp(first, at)))
  await first.stop()
  const product = await startProduct(folder, { LOG_LEVEL: 'error' })
  const [single, ...others] = callers
  if (!single) throw new Error('nobody has signed in')
  const files = others.map((_, at) => fileOf(at, IMPORT_ROWS_MAX))

  const name = `a check of ${IMPORT_ROWS_MAX.toLocaleString('en')} rows`
  const check = (at: number) =>
    timed(() => send(product, others[at % PARTNERS], '/dashboard/leads/imports', files[at % PARTNERS]))
  judge(`${name}, the first after the start`, (await check(0)).ms, 'ms', GOALS.checkMs)
  for (let at = 1; at <= WARM_CHECKS; at += 1) judge(`${name}, later`, (await check(at)).ms, 'ms', GOALS.checkMs)

  await beside(
    product,
    single,
    `${PARTNERS} checks of ${IMPORT_ROWS_MAX.toLocaleString('en')} rows at once`,
    async () => {
      await Promise.all(files.map((_, at) => check(at)))
    },
  )
  await beside(product, single, `${PARTNERS} imports of ${ROWS} rows at once`, async () => {
    await Promise.all(others.map((caller, at) => importFile(product, caller, fileOf(at, ROWS))))
  })
  const { rows } = await product.pool.query<{ leads: number; applicants: number }>(
    `select count(*)::int as leads, count(distinct (partner_id, email))::int as applicants from leads
      where partner_id <> (select partner_id from people where email = $1)`,
    [single.email],
  )
  const { leads = 0, applicants = 0 } = rows[0] ?? {}
  judge('rows that are lost', PARTNERS * ROWS - applicants, '', 0)
  judge('rows that are there twice', leads - applicants, '', 0)

  await exportAll(product, single)
  await product.stop()
})
process.exit(isMet ? 0 : 1)

function judge(what: string, value: number, unit: string, goal?: number): void {
  const isMissed = goal !== undefined && value > goal
  if (isMissed) isMet = false
  const verdict = goal === undefined ? '' : ` (goal ${goal}, ${isMissed ? 'missed' : 'met'})`
  console.log(`${what.padEnd(66)}${value.toFixed(0).padStart(8)} ${unit}${verdict}`)
}

async function timed<Result>(work: () => Promise<Result>): Promise<{ ms: number; result: Result }> {
  const startedAt = performance.now()
  const result = await work()
  return { ms: performance.now() - startedAt, result }
}

/** Does the work while another partner submits one lead after another. Prints times and memory. */
async function beside(product: Product, single: Caller, what: string, work: () => Promise<void>): Promise<void> {
  const before = product.residentKbNow()
  let most = before
  const looking = setInterval(() => (most = Math.max(most, product.residentKbNow())), LOOK_EVERY_MS)
  let isDone = false
  const times: number[] = []
  const submitting = (async () => {
    while (!isDone) {
      const lead = { ...newLead(times.length), businessName: `${what} ${times.length}` }
      times.push((await timed(() => send(product, single, '/dashboard/leads', lead))).ms)
      await sleep(PAUSE_MS)
    }
  })()
  const { ms } = await timed(work)
  isDone = true
  await submitting
  clearInterval(looking)
  times.sort((a, b) => a - b)
  judge(what, ms, 'ms')
  judge('  memory more than before', (most - before) / 1_024, 'MB')
  judge(
    `  another partner’s lead meanwhile, median of ${times.length}`,
    times[Math.floor(times.length / 2)] ?? Number.NaN,
    'ms',
  )
  judge('  the slowest of them', times.at(-1) ?? Number.NaN, 'ms')
  judge('  until the CRM has all of them', (await timed(() => pushed(product, single))).ms, 'ms')
}

async function importFile(product: Product, caller: Caller, file: Buffer): Promise<void> {
  const path = '/dashboard/leads/imports'
  const { id, standings } = await send(product, caller, path, file)
  const body = { consentVersion: CONSENT_VERSION, withDuplicates: false, rows: standings.ready }
  await send(product, caller, `${path}/${id}/submit`, body)
  await until('the end of an import', async () => (await send(product, caller, `${path}/${id}`)).state === 'done')
}

async function exportAll(product: Product, caller: Caller): Promise<void> {
  await product.pool.query(
    `insert into leads (id, partner_id, loid, business_name, email, phone, lead_status, created_at, modified_time, crm)
     select gen_random_uuid(), (select partner_id from people where email = $1), 'LO-F' || lpad(upper(to_hex(i)), 7, '0'),
            'Business ' || i, 'lead' || i || '@example.com', '+61491570156', 'New Lead', now(), now(), 'synced'
       from generate_series(1, $2::int) i`,
    [caller.email, EXPORTED],
  )
  await product.pool.query('vacuum (analyze) leads')
  const read = async () => {
    const startedAt = performance.now()
    const answer = await fetch(`${product.url}/api/dashboard/leads/export`, { headers: bearer(caller) })
    let firstByteMs = 0
    let lines = 0
    for await (const piece of answer.body ?? []) {
      firstByteMs ||= performance.now() - startedAt
      lines += Buffer.from(piece).toString('latin1').split('\n').length - 1
    }
    if (lines < EXPORTED) throw new Error(`the export has ${lines} lines`)
    return { firstByteMs, ms: performance.now() - startedAt }
  }
  // The first export makes the process larger once.
  await read()
  const before = product.residentKbNow()
  let most = before
  const looking = setInterval(() => (most = Math.max(most, product.residentKbNow())), LOOK_EVERY_MS)
  const { firstByteMs, ms } = await read()
  clearInterval(looking)
  judge(`an export of ${EXPORTED.toLocaleString('en')} leads, its first byte`, firstByteMs, 'ms', GOALS.firstByteMs)
  judge('  the whole file', ms, 'ms')
  judge('  memory more than before', (most - before) / 1_024, 'MB', GOALS.exportMb)
}

/** Waits until the CRM has all leads of the caller’s partner. */
function pushed({ pool }: Product, { email }: Caller): Promise<void> {
  return until('the CRM', async () => {
    const { rows } = await pool.query(
      `select from leads where crm <> 'synced' and partner_id = (select partner_id from people where email = $1) limit 1`,
      [email],
    )
    return rows.length === 0
  })
}

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + WAIT_MS_MAX
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`gave up waiting for ${what}`)
    await sleep(LOOK_EVERY_MS)
  }
}

/** A file with columns as an address book has them. Each partner has the same applicants. */
function fileOf(at: number, rows: number): Buffer {
  const lines = Array.from({ length: rows }, (_, n) => {
    const phone = `04${String(20_000_000 + n)}`
    return `Business ${n} of ${at},Robin,Lee ${n},robin${n}@example.com,${phone},"${1 + (n % 900)},000",A second truck`
  })
  const heading = 'Business Name,First Name,Last Name,Email,Phone,Loan Amount,Loan Purpose'
  return Buffer.from([heading, ...lines].join('\r\n'))
}

async function signUp(product: Product, at: number): Promise<Caller> {
  const account = {
    email: `files${at}@example.com`,
    password: 'a-password-for-the-bench',
    businessName: `Files ${at}`,
  }
  const nobody = { token: '', email: account.email }
  await send(product, nobody, '/auth/signup', account)
  const answer = await fetch(`${product.url}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(account),
  })
  return { ...nobody, token: ((await answer.json()) as { token: string }).token }
}

interface Data {
  id: string
  state: string
  standings: { ready: number }
}

async function send({ url }: Product, caller: Caller | undefined, path: string, body?: object): Promise<Data> {
  const isFile = Buffer.isBuffer(body)
  const answer = await fetch(`${url}/api${path}`, {
    method: body ? 'POST' : 'GET',
    headers: {
      ...(caller?.token && bearer(caller)),
      ...(body && { 'content-type': isFile ? 'application/octet-stream' : 'application/json' }),
    },
    body: isFile ? new Uint8Array(body) : body ? JSON.stringify(body) : null,
  })
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
  return ((await answer.json()) as { data: Data }).data
}
