import { type ClientRequest, request } from 'node:http'
import { gzipSync } from 'node:zlib'
import { CONSENT_VERSION } from '@portal/contract/lead-form.ts'
import { IMPORT_BYTES_MAX } from '@portal/contract/limits.ts'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openLender } from '../../testing/lender.ts'
import {
  addColleague,
  confirmEmail,
  newLead,
  startPortal,
  type TestPartner,
  type TestPortal,
} from '../../testing/start-portal.ts'
import { waitFor } from '../../testing/wait-for.ts'

let portal: TestPortal
beforeAll(async () => {
  portal = await startPortal()
})
afterAll(() => portal[Symbol.asyncDispose]())

const HEADING = 'Business Name,First Name,Last Name,Email,Phone,Loan Amount'
const line = (n: number, phone = `0491 570 ${String(n).padStart(3, '0')}`) =>
  `Business ${n},Robin,Lee ${n},robin${n}@example.com,${phone},"50,000"`

function csv(...lines: string[]): Buffer {
  return Buffer.from([HEADING, ...lines].join('\r\n'))
}

async function check(partner: TestPartner, file: Buffer) {
  const answer = await partner.post('/dashboard/leads/imports?name=clients.csv', file)
  expect([answer.status, answer.body.error]).toEqual([201, undefined])
  return answer.body.data
}

async function rowsOf(partner: TestPartner, id: string, show = 'all') {
  const answer = await partner.get(`/dashboard/leads/imports/${id}/rows?show=${show}&limit=100`)
  expect(answer.status).toBe(200)
  return answer.body.data.rows
}

async function submit(partner: TestPartner, id: string, body: object = {}) {
  const { standings } = (await partner.get(`/dashboard/leads/imports/${id}`)).body.data
  const wanted = { consentVersion: CONSENT_VERSION, withDuplicates: false, rows: standings.ready, ...body }
  const answer = await partner.post(`/dashboard/leads/imports/${id}/submit`, wanted)
  expect([answer.status, answer.body.error]).toEqual([202, undefined])
  return waitFor('the end of the import', async () => {
    const { data } = (await partner.get(`/dashboard/leads/imports/${id}`)).body
    return data.state === 'done' && data
  })
}

test('a file is checked by the form’s rules, mended in place and submitted once; the same file again writes nothing', async () => {
  const partner = await portal.newPartner()
  const file = csv(line(6), line(110), line(1, '491570156'), line(2, '123'), ',,,,,', line(156, '0491 570 110'))
  const checked = await check(partner, file)
  expect(checked).toMatchObject({
    name: 'clients.csv',
    rows: 5,
    offers: 1,
    standings: { ready: 2, wrong: 2, duplicate: 1, known: 0 },
  })
  const [, , offered, wrong, alike] = await rowsOf(partner, checked.id)
  expect(offered.problems).toMatchObject([{ field: 'phone', offer: '0491570156', message: /0491 570 156/ }])
  expect(wrong).toMatchObject({ number: 5, standing: 'wrong', problems: [{ field: 'phone', offer: null }] })
  expect(alike).toMatchObject({ number: 7, earlier: 3, standing: 'duplicate' })

  const accepted = await partner.post(`/dashboard/leads/imports/${checked.id}/accept-offers`)
  expect(accepted.body.data).toMatchObject({ offers: 0, standings: { ready: 3, wrong: 1 } })
  const mended = await partner.put(`/dashboard/leads/imports/${checked.id}/rows`, {
    number: 5,
    values: { phone: '0491 570 157' },
  })
  expect(mended.body.data).toMatchObject({
    import: { standings: { ready: 4, wrong: 0 } },
    row: { standing: 'ready', mended: ['phone'], lead: { phone: '+61491570157', loan_amount: 50_000 } },
  })

  const done = await submit(partner, checked.id)
  expect(done).toMatchObject({ chosen: 4, submitted: 4, left_out: 0, changed: 0 })
  const { leads } = (await partner.get('/dashboard/leads?limit=100')).body.data
  expect(leads).toHaveLength(4)

  const again = await check(partner, file)
  expect(again.standings).toEqual({ ready: 0, wrong: 0, duplicate: 1, known: 4 })
  const left = (await partner.get(`/dashboard/leads/imports/${again.id}/left-out`)).body.data
  expect(left).toContain('Why,Business Name')
  expect(left).toMatch(/"Imported before, as LO-\w+",Business 6/)
})

test('a file is read in every usual form, and a file that is none is refused in words', async () => {
  const partner = await portal.newPartner()
  const text = 'Business Name;First Name;Last Name;Email;Phone\nCafé Zoë;Zoë;Müller;zoe@example.com;0491 570 156\n'
  const utf16 = Buffer.from(`\uFEFF${text}`, 'utf16le')
  const files = {
    'UTF-8 with a mark': Buffer.from(`\uFEFF${text}`),
    'UTF-8': Buffer.from(text),
    'UTF-16': utf16,
    'UTF-16, the high byte first': Buffer.from(utf16).swap16(),
    'Windows-1252': Buffer.from(text, 'latin1'),
    tabs: Buffer.from(text.replaceAll(';', '\t').replaceAll('\n', '\r')),
    'a line that names the separator': Buffer.from(`sep=;\r\n${text}`),
    'a megabyte with returns alone': Buffer.from(
      `${text}${`${';'.repeat(29)}\n`.repeat(40_000)}Other`.replaceAll('\n', '\r'),
    ),
    'many blank rows below': Buffer.from(text + ';;;;\n'.repeat(200_000)),
  }
  for (const [form, file] of Object.entries(files)) {
    const { id } = await check(partner, file)
    const rows = await rowsOf(partner, id)
    expect([form, rows[0]?.lead]).toEqual([
      form,
      expect.objectContaining({ business_name: 'Café Zoë', lead_name: 'Zoë Müller' }),
    ])
  }
  // A file from another machine writes the same texts in other signs (D142, D143).
  const spelled = [
    'Ｂｕｓｉｎｅｓｓ\u00a0Name;\u200bFirst Name;Lást Name;E\u2011mail;“Phone”;Owns Property;Property Value;Amount',
    'Cafe\u0301 Zoe\u0308\u200b;Zoe\u0308;Mu\u0308ller;zoe\u200b@example.com;０４９１\u00a0570 156;Ｙｅｓ\u200b;1,5m;A$ 50\u202f000',
  ].join('\n')
  const { id, columns } = await check(partner, Buffer.from(spelled))
  expect(columns.map(({ field }: { field: string | null }) => field)).not.toContain(null)
  expect((await rowsOf(partner, id))[0]).toMatchObject({
    problems: [],
    values: { businessName: 'Café Zoë', email: 'zoe@example.com' },
    lead: { business_name: 'Café Zoë', email: 'zoe@example.com', phone: '+61491570156', loan_amount: 50_000 },
  })
  await submit(partner, id)
  expect((await check(partner, Buffer.from(spelled.normalize('NFC')))).standings).toMatchObject({ known: 1 })
  // The column's sample and the message about the amount are cut, but not within a character.
  const before = (length: number) => `${'z'.repeat(length)}😀😀`
  const cut = await check(partner, Buffer.from(`Loan Amount,Notes\n${before(39)},${before(59)}`))
  expect(cut.columns).toMatchObject([{ sample: before(39) }, { sample: expect.stringMatching(/^z+…$/) }])
  const [{ problems }] = await rowsOf(partner, cut.id)
  expect(problems).toContainEqual(expect.objectContaining({ message: expect.stringMatching(/“z+.?…”$/u) }))
  const refused: [Buffer, RegExp][] = [
    [Buffer.alloc(0), /empty/],
    [Buffer.from('Email,Phone\n'), /no rows/],
    [Buffer.from('PK\u0003\u0004'), /not a CSV file/],
    [gzipSync('Email,Phone\na@b.co,1\n'), /not a CSV file/],
    [Buffer.from(`Email,${'x'.repeat(201)}\na@b.co,1\n`), /A heading has more than 200 characters/],
    [Buffer.from('Email,Phone\na@b.co,"0491'), /quotation mark/],
    [Buffer.from('Email,Phone\na@b.co,1,2\n'), /Row 2 has more cells/],
    [Buffer.from(`Email,Phone\na@b.co,"${'1\n'.repeat(600_000)}`), /Row 2 is too long/],
    [Buffer.from(`Email,Phone\n${','.repeat(20_000)}1`), /Row 2 is too long/],
    [Buffer.from(`Email,Phone\n${'\n'.repeat(100_000)}a@b.co,1`), /more than 100,000 rows/],
    [Buffer.from(`Email\n${'a@b.co\n'.repeat(5_001)}`), /more than 5,000 rows/],
  ]
  for (const [file, words] of refused) {
    const answer = await partner.post('/dashboard/leads/imports', file)
    expect([answer.status, answer.body.error]).toEqual([400, expect.stringMatching(words)])
  }
})

test('an export that another partner imports and exports again has no differences', async () => {
  const [ada, bob] = [await portal.newPartner(), await portal.newPartner()]
  await ada.submitLead({ businessName: '=HYPERLINK("x")', additionalInfo: '\'-1 and\nanother line; "quoted"' })
  await ada.submitLead({
    email: 'b@example.com',
    phone: '021 123 4567',
    firstName: 'Anna  Maria',
    lastName: 'van der\u00a0\u00a0Berg',
    loanAmount: 1234.5,
    state: null,
  })
  await ada.submitLead({
    email: 'c@example.com',
    phone: '02 5550 1234',
    ownsProperty: true,
    propertyValue: 900_000,
    propertyDebt: 1,
  })
  const exported = async (partner: TestPartner) =>
    (await partner.get('/dashboard/leads/export?sort=business_name&order=asc')).body.data
  const first: string = await exported(ada)
  expect(first).toContain(',Yes,900000,1,')
  const checked = await check(bob, Buffer.from(first))
  expect(checked.standings).toEqual({ ready: 3, wrong: 0, duplicate: 0, known: 0 })
  await submit(bob, checked.id)
  expect(comparable(await exported(bob))).toEqual(comparable(first))
})

/** The lines of an export without what is the portal's own: LOID, submitter and days. */
function comparable(file: string): string[] {
  return file
    .replace(/LO-\w+/g, 'LO')
    .replace(/,[^,\n]*,[\d-]{10},[\d-]{10}\r\n/g, '\r\n')
    .split('\r\n')
    .toSorted()
}

test('what the check predicts happens, although the database drops the submission’s connections and leads arrive meanwhile; what changed is said by row', async () => {
  await using portal = await startPortal()
  const partner = await portal.newPartner()
  const lines = Array.from({ length: 120 }, (_, n) => line(n + 100, n % 10 === 3 ? 'nobody knows' : undefined))
  lines.push(line(999, '0491 570 105'))
  const { id, standings } = await check(partner, csv(...lines))
  expect(standings).toEqual({ ready: 108, wrong: 12, duplicate: 1, known: 0 })
  for (const n of [219, 218]) {
    await partner.post('/dashboard/leads', newLead({ email: `robin${n}@example.com`, phone: '0491 571 000' }))
  }
  /** How many rows are submitted. After a failure, the job's next try is due at once. */
  const submitted = async (): Promise<number> => {
    await sql`update jobs.job set start_after = now() where name = 'submit-import-rows' and state = 'retry'`.execute(
      portal.deps.db,
    )
    return (await partner.get(`/dashboard/leads/imports/${id}`)).body.data.submitted
  }
  const drops = (async () => {
    for (let i = 0; i < 2; i++) {
      await waitFor('a row of the next part', async () => (await submitted()) > i * 20)
      await sql`
        select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid() and query like '%import%'`.execute(
        portal.deps.db,
      )
    }
    await waitFor('the last row', async () => (await submitted()) === 106)
  })()
  const [done] = await Promise.all([submit(partner, id), drops])
  expect(done).toMatchObject({ chosen: 108, submitted: 106, left_out: 2, changed: 2 })
  const changed = await rowsOf(partner, id, 'changed')
  expect(changed.map(({ number, since }: { number: number; since: string }) => [number, since])).toEqual([
    [120, expect.stringMatching(/^After the check, LO-\w+ was submitted/)],
    [121, expect.stringMatching(/^After the check, LO-\w+ was submitted/)],
  ])
  const { rows } = await sql<{ leads: number; applicants: number }>`
    select count(*)::int as leads, count(distinct email)::int as applicants from leads where partner_id = ${partner.id}`.execute(
    portal.deps.db,
  )
  expect(rows).toEqual([{ leads: 108, applicants: 108 }])
})

test('another partner sees no import, and each step stands in the security log', async () => {
  const [ada, bob] = [await portal.newPartner(), await portal.newPartner()]
  const { id } = await check(ada, csv(line(1)))
  expect((await bob.get(`/dashboard/leads/imports/${id}`)).status).toBe(404)
  expect((await bob.get('/dashboard/leads/imports')).body.data).toEqual({ imports: [] })
  await submit(ada, id)
  await ada.get(`/dashboard/leads/imports/${id}/left-out`)
  const other = await check(ada, csv(line(2)))
  await ada.ask('DELETE', `/dashboard/leads/imports/${other.id}`)
  const log = (await ada.get('/security-log?type=account')).body.data.entries
  expect(log.map(({ event }: { event: string }) => event).slice(0, 5)).toEqual([
    'import-discarded',
    'import-checked',
    'import-rows-exported',
    'import-submitted',
    'import-checked',
  ])
})

test('nobody has all rows of files checked again without end', async () => {
  await using portal = await startPortal({ env: { RATE_LIMITS: 'on' } })
  const partner = await portal.newPartner()
  const { id } = await check(partner, csv(line(1)))
  const again = () => partner.post(`/dashboard/leads/imports/${id}/accept-offers`)
  expect((await again()).status).toBe(200)
  await sql`update rate_limits set points = 300 where key like 'imports-checked-again:%'`.execute(portal.deps.db)
  expect((await again()).status).toBe(429)
})

test('rows that are left out while the lender has suspended the business are submitted from the same import once it may submit again', async () => {
  await using portal = await startPortal({ env: { ROLE: 'web' } })
  const partner = await portal.newPartner()
  const { id } = await check(partner, csv(line(1), line(2), line(3, 'nobody knows')))
  const send = (rows: number) =>
    partner.post(`/dashboard/leads/imports/${id}/submit`, {
      consentVersion: CONSENT_VERSION,
      withDuplicates: false,
      rows,
    })
  const setAccess = (access: string) =>
    sql`update partners set portal_access = ${access} where id = ${partner.id}`.execute(portal.deps.db)
  expect((await send(2)).status).toBe(202)
  await setAccess('Suspended')
  await using worker = await startPortal({ on: portal, env: { ROLE: 'worker' } })
  await waitFor('the end of the import', async () => {
    const { rows } = await sql`select from imports where state = 'done'`.execute(worker.deps.db)
    return rows.length === 1
  })
  await setAccess('Active')

  const opened = async () => (await partner.get(`/dashboard/leads/imports/${id}`)).body.data
  expect(await opened()).toMatchObject({ chosen: 2, submitted: 0, left_out: 2, refused: 2, changed: 2 })
  expect((await rowsOf(partner, id, 'changed')).map(({ since }: { since: string }) => since)).toEqual([
    'The person who submitted the file may not submit leads any more',
    'The person who submitted the file may not submit leads any more',
  ])
  await partner.submitLead({ email: 'robin2@example.com' })
  expect((await send(3)).body.error).toBe('2 rows are ready by now, not 3. Nothing was submitted.')
  expect((await send(2)).body.data).toMatchObject({ state: 'submitting', done_at: null, undo_until: null, refused: 0 })
  await waitFor('the end of the import', async () => (await opened()).state === 'done')
  expect(await opened()).toMatchObject({ chosen: 2, submitted: 1, left_out: 1, refused: 0, changed: 1 })
  expect((await rowsOf(partner, id)).map(({ outcome }: { outcome: string | null }) => outcome)).toEqual([
    'submitted',
    'left-out',
    null,
  ])
  expect((await send(1)).body.error).toBe('0 rows are ready by now, not 1. Nothing was submitted.')
})

test('a partner with an unconfirmed address imports ten rows, which the lender gets with the others once it is confirmed', async () => {
  await using portal = await startPortal({ withCrm: true, env: { HOLD_UNVERIFIED: 'true' } })
  const lender = openLender(portal.crmUrl)
  const partner = await portal.newPartner()
  const { id } = await check(partner, csv(...Array.from({ length: 13 }, (_, index) => line(index))))
  expect(await submit(partner, id)).toMatchObject({ chosen: 13, submitted: 10, left_out: 3, refused: 3 })
  const refusal = 'Confirm your email address first: 10 referrals already wait for it.'
  const left = await rowsOf(partner, id, 'changed')
  expect(left.map(({ since }: { since: string }) => since)).toEqual([refusal, refusal, refusal])
  const wanted = { consentVersion: CONSENT_VERSION, withDuplicates: false, rows: 3 }
  const again = await partner.post(`/dashboard/leads/imports/${id}/submit`, wanted)
  expect([again.status, again.body.code, again.body.error]).toEqual([409, 'CONFIRM_EMAIL', refusal])
  await waitFor('all jobs to have looked', async () => {
    const { rows } = await sql`select from jobs.job where name = 'push-lead' and state < 'completed'`.execute(
      portal.deps.db,
    )
    return rows.length === 0
  })
  expect(await lender.list('Leads', 'LOID')).toEqual([])

  await confirmEmail(portal, partner)
  expect(await submit(partner, id, { rows: 3 })).toMatchObject({ submitted: 13, refused: 0 })
  await waitFor('the leads in the CRM', async () => (await lender.list('Leads', 'LOID')).length === 13)
})

test('of files that one person brings at once, one is kept; a colleague’s stays', async () => {
  await using other = await startPortal({ on: portal, env: { ROLE: 'web' } })
  const partner = await portal.newPartner()
  await confirmEmail(portal, partner)
  const colleague = await addColleague(portal, partner, 'member')
  await colleague.post('/dashboard/leads/imports', csv(line(9)))
  const bring = (at: number) =>
    (at % 2 === 0 ? portal : other).post('/dashboard/leads/imports', csv(line(at)), { token: partner.token })
  const answers = await Promise.all([0, 1, 2, 3].map(bring))
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201])
  const { rows } = await sql`select person_id from imports where partner_id = ${partner.id}`.execute(portal.deps.db)
  expect(rows).toHaveLength(2)
  const { imports } = (await partner.get('/dashboard/leads/imports')).body.data
  expect(imports).toHaveLength(1)
  expect(answers.map(({ body }) => body.data.id)).toContain(imports[0].id)
})

/** Begins to send a file, again whenever a busy portal refuses it, until the returned function is called. */
function sendSlowly(url: string, token: string): () => void {
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/octet-stream',
    'content-length': IMPORT_BYTES_MAX,
  }
  let sending = begin()
  function begin(): ClientRequest {
    const begun = request(`${url}/api/dashboard/leads/imports`, { method: 'POST', headers }, () => {
      sending = begin()
    })
    begun.on('error', () => undefined).write(HEADING)
    return begun
  }
  return () => sending.destroy()
}

test('files that arrive slowly use up no memory: their partner’s next file has to wait, and another partner’s does not', async () => {
  await using portal = await startPortal({ env: { ROLE: 'web' } })
  const [ada, bob] = [await portal.newPartner(), await portal.newPartner()]
  const slow = [1, 2].map(() => sendSlowly(portal.url, ada.token))
  const bring = async (partner: TestPartner) => await partner.post('/dashboard/leads/imports', csv(line(1)))
  const refused = await waitFor('a file without room', async () => {
    const answer = await bring(ada)
    return answer.status !== 201 && answer
  })
  expect([refused.status, refused.headers.get('retry-after'), refused.body.code]).toEqual([503, '5', 'UNAVAILABLE'])
  expect((await bring(bob)).status).toBe(201)
  for (const stop of slow) stop()
  await waitFor('room for a file', async () => (await bring(ada)).status === 201)
})

test('the file of the rows left out is of one moment, although rows are submitted while it is read', async () => {
  const partner = await portal.newPartner()
  const ROWS = 3_000
  const { id } = await check(partner, csv(...Array.from({ length: ROWS }, (_, n) => line(n, 'nobody knows'))))
  const leftOut = async () => {
    const file: string = (await partner.get(`/dashboard/leads/imports/${id}/left-out`)).body.data
    return [...file.matchAll(/,Business (\d+),/g)].map(([, number]) => Number(number))
  }
  const submitNext = (after: number) =>
    sql`update import_rows set outcome = 'submitted' where import_id = ${id} and number between ${after} and ${after + 10}`
  let isRead = false
  const submitting = (async () => {
    for (let at = 0; at < ROWS && !isRead; at += 10) await submitNext(at).execute(portal.deps.db)
  })()
  for (let times = 0; times < 5; times += 1) {
    const [first = ROWS, ...others] = await leftOut()
    expect(others).toEqual(Array.from({ length: ROWS - first - 1 }, (_, n) => first + n + 1))
  }
  isRead = true
  await submitting
})
