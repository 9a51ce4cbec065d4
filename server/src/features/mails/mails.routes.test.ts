import { readdir, readFile } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { noteFieldGroups } from '../../crm/pull/fields/optional-values.ts'
import { runSweep } from '../../crm/pull/sweep/sweep.job.ts'
import { pushLead } from '../../crm/push/push-lead.job.ts'
import { GiveUp } from '../../platform/jobs/define-job.ts'
import type { AnyEvent } from '../../records/events/event-data.ts'
import { recordEvents } from '../../records/events/events.ts'
import { keepFieldGroups } from '../../records/kinds/field-groups.queries.ts'
import { keepPartnerFacts } from '../../records/partners/partner-facts.queries.ts'
import { openLender } from '../../testing/lender.ts'
import { openDataFolder } from '../../testing/portal-process.ts'
import {
  addColleague,
  confirmEmail,
  newLead,
  SECRETS_KEY,
  startPortal,
  type TestPartner,
  type TestPortal,
} from '../../testing/start-portal.ts'
import { tellNewsNow, tellNewsSoon } from '../../testing/tell-news.ts'
import { waitFor } from '../../testing/wait-for.ts'
import { disableEndpoint } from '../webhooks/disable-endpoint.ts'
import { sendNewsMail } from './send-news-mail.job.ts'
import { tellNews } from './tell-news.job.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
const NEVER = new AbortController().signal

let portal: TestPortal
beforeAll(async () => {
  portal = await startPortal()
})
afterAll(() => portal[Symbol.asyncDispose]())

function mailsOnTheirWay({ deps }: TestPortal) {
  return deps.db.selectFrom('mails').select(['id', 'partner_id as partnerId']).execute()
}

async function confirmedPartner(on: TestPortal = portal, names?: { businessName: string }): Promise<TestPartner> {
  const partner = await on.newPartner(names)
  await confirmEmail(on, partner)
  return partner
}

let loids = 0
function newLoid(): string {
  loids += 1
  return `LO-${String(loids).padStart(8, '0')}`
}

type Change = AnyEvent extends infer Event ? (Event extends AnyEvent ? Pick<Event, 'type' | 'data'> : never) : never

async function happens(on: TestPortal, partnerId: string, loid: string, ...changes: Change[]): Promise<void> {
  const at = on.deps.clock.now().toISOString()
  // oxlint-disable-next-line typescript/consistent-type-assertions -- each pair of type and data came from one event
  const events = changes.map((change) => ({ ...change, partnerId, loid, at }) as AnyEvent)
  await on.deps.db.transaction().execute(async (tx) => {
    await recordEvents(tx, events)
    for (const { type, data } of events) {
      if (type !== 'lead.status_changed') continue
      await tx.updateTable('leads').set({ lead_status: data.status }).where('loid', '=', loid).execute()
    }
  })
}

/** The partner's contact at the lender, as the CRM's record of the partner names them. */
async function nameManager(partnerId: string, manager: { manager_name: string; manager_email: string }) {
  const { db } = portal.deps
  const at = new Date().toISOString()
  await db.updateTable('partners').set({ zoho_id: '1' }).where('id', '=', partnerId).execute()
  await keepFieldGroups(db, new Map([['manager', { there: Object.keys(manager) }]]), new Date(at))
  await keepPartnerFacts(db, [{ zoho_id: '1', modified_time: at, ...manager }])
}

function stage(to: string, from = 'Waiting On Application', business_name = 'Okafor Freight'): Change {
  const data = { deal_name: business_name, business_name, amount: 150_000, stage: to, previous: from }
  return { type: 'deal.stage_changed', data }
}

function status(to: string, business_name = 'Okafor Freight'): Change {
  return { type: 'lead.status_changed', data: { business_name, amount: 150_000, status: to, previous: 'New Lead' } }
}

function lendersNote(content: string): Change {
  const data = {
    on: 'lead',
    business_name: 'Okafor Freight',
    created_by: 'Mia Chen',
    submitted_by: null,
    content,
  } as const
  return { type: 'note.added', data }
}

/** The mails about leads, deals and the webhook. Other mails have no unsubscribe link. */
async function newsTo(email: string, on: TestPortal = portal): Promise<string[]> {
  return (await on.mailsTo(email)).filter((mail) => mail.includes('List-Unsubscribe:'))
}

function subjectOf(mail: string | undefined): string | undefined {
  return /^Subject: (.*(?:\n .*)*)/m.exec(mail ?? '')?.[1]?.replaceAll('\n ', ' ')
}

function linkIn(mail: string | undefined): { url: string; token: string } {
  const [, url = '', token = ''] = /^List-Unsubscribe:\s*<(\S+token=([\w-]+))>/m.exec(mail ?? '') ?? []
  return { url, token }
}

test('GET /account/notifications returns each role’s defaults until a person changes them with PUT', async () => {
  const partner = await confirmedPartner()
  const viewer = await addColleague(portal, partner, 'viewer')
  const defaults = {
    outcome: 'at-once',
    'lender-note': 'at-once',
    crm: 'at-once',
    webhook: 'at-once',
    'lead-status': 'digest',
    'deal-stage': 'digest',
  }
  expect((await partner.get('/account/notifications')).body.data).toEqual({
    choices: defaults,
    at_once_if_own: [],
    time_zone: 'Australia/Sydney',
  })
  const { webhook: _, ...ofViewers } = defaults
  expect((await viewer.get('/account/notifications')).body.data).toMatchObject({
    choices: ofViewers,
    at_once_if_own: ['outcome', 'lender-note', 'crm'],
  })

  const change = { choices: { 'lead-status': 'at-once' }, time_zone: 'Pacific/Auckland' }
  const changed = await viewer.put('/account/notifications', change)
  expect(changed.body.data).toEqual({
    choices: { ...ofViewers, 'lead-status': 'at-once' },
    at_once_if_own: ['outcome', 'lender-note', 'crm'],
    time_zone: 'Pacific/Auckland',
  })
  await viewer.put('/account/notifications', { choices: { crm: 'never' } })
  expect((await viewer.get('/account/notifications')).body.data).toEqual({
    choices: { ...ofViewers, 'lead-status': 'at-once', crm: 'never' },
    at_once_if_own: ['outcome', 'lender-note'],
    time_zone: 'Pacific/Auckland',
  })
  expect((await partner.get('/account/notifications')).body.data.choices).toEqual(defaults)
})

test.each([
  [{ choices: { 'lead-status': 'sometimes' } }],
  [{ choices: { security: 'never' } }],
  [{ choices: 'never' }],
  [{ time_zone: '+10:00' }],
  [{ time_zone: 'Atlantis/Capital' }],
  [{ time_zone: 'ACT' }],
  [{ time_zone: '\u221210:00' }],
  [{ time_zone: 7 }],
])('PUT /account/notifications refuses %j', async (body) => {
  const partner = await portal.newPartner()
  const refused = await partner.put('/account/notifications', body)
  expect([refused.status, refused.body.code]).toEqual([400, 'VALIDATION'])
})

test('one mail within five minutes covers all changes to a deal, names the business and links to the deal', async () => {
  const partner = await confirmedPartner()
  const loid = newLoid()
  await happens(portal, partner.id, loid, stage('Pending Approval'))
  await tellNewsNow(portal)
  expect(await newsTo(partner.email)).toEqual([])
  await partner.put('/account/notifications', { choices: { 'deal-stage': 'at-once' } })
  portal.advance(MINUTE_MS)
  await happens(
    portal,
    partner.id,
    loid,
    stage('Approved', 'Pending Approval'),
    lendersNote('Please send the last\nthree bank statements.'),
  )
  portal.advance(1.5 * MINUTE_MS)
  await happens(portal, partner.id, loid, stage('Funded', 'Approved'))
  await tellNewsNow(portal)
  const [mail, ...more] = await newsTo(partner.email)
  expect(more).toEqual([])
  expect(subjectOf(mail)).toBe('Good news: Okafor Freight is Funded, and 3 more changes')
  expect(mail).toContain(`Okafor Freight (${loid}), $150,000.`)
  expect(mail).toMatch(/moved from Approved to Funded\.[^]*Mia Chen wrote:[^]*to Approved\.[^]*to Pending Approval\./)
  expect(mail).toContain('The loan has been paid out.\n')
  expect(mail).toMatch(/Mia Chen wrote: \(\d+:\d\d\s[ap]m AE[DS]T\)/)
  expect(mail).toContain('> Please send the last\n> three bank statements.')
  expect(mail).toContain(`Open the deal: ${portal.deps.publicUrl}/deals/${loid}\n`)
  expect(mail).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click')
  await tellNewsSoon(portal)
  expect(await newsTo(partner.email)).toHaveLength(1)
})

test('a mail says what the status means, whose turn it is, the amount and who submitted the lead', async () => {
  const partner = await confirmedPartner()
  await partner.put('/account/notifications', { choices: { 'lead-status': 'at-once', 'deal-stage': 'at-once' } })
  const colleague = await addColleague(portal, partner, 'member')
  const told = async (change: Change, answer?: string) => {
    const { loid } = await partner.submitLead()
    await happens(portal, partner.id, loid, change)
    portal.advance(MINUTE_MS)
    if (answer) await colleague.post(`/crm/note/${loid}`, { content: answer })
    await tellNewsSoon(portal)
    const [mail = ''] = await newsTo(partner.email)
    expect(mail).toContain(`Okafor Freight (${loid}), $150,000, submitted by ${partner.businessName}.`)
    return mail
  }
  expect(await told(status('Unable to Contact'))).toContain(
    'The lender could not reach the applicant. A word from you may help. Your turn.',
  )
  expect(await told(status('Contacted'))).toMatch(/Lender.+s turn\./)
  const answered = await told(status('Unable to Contact'), 'Try the other number.')
  expect(answered).toMatch(/Lender.+s turn\./)
  expect(answered).not.toContain('A word from you may help.')
  const verdict = { partner_verdict: 'Already with us', verdict_reason: 'applied in May', protected_until: null }
  const said = await told({
    type: 'lead.verdict_changed',
    data: { business_name: 'Okafor Freight', amount: 150_000, ...verdict },
  })
  expect(subjectOf(said)).toBe('The lender about Okafor Freight: Already with us: applied in May')
  expect(said).toMatch(/The lender.+s verdict: Already with us: applied in May\. \(/)
  const written = await told(lendersNote('Please call.'))
  expect(written).toContain('The note waits for your answer.')
  expect(written).not.toMatch(/turn\./)
  const lost = await told(status('Lost Lead'))
  expect(subjectOf(lost)).toBe('Okafor Freight is now Lost Lead')
  expect(lost).not.toMatch(/turn\./)
  expect(lost).not.toContain('Your contact at the lender')
  await nameManager(partner.id, { manager_name: 'Priya Nair', manager_email: 'priya@lender.example' })
  const notQualified = await told(status('Not Qualified'))
  expect(subjectOf(notQualified)).toBe('Okafor Freight is now Not Qualified')
  expect(notQualified).toContain('Your contact at the lender: Priya Nair, priya@lender.example.')
})

test('nobody gets a mail about what they have seen in the portal, and only owners hear at once of others’ referrals', async () => {
  const partner = await confirmedPartner()
  const member = await addColleague(portal, partner, 'member')
  const { loid } = await partner.submitLead()
  const own = (await member.post('/dashboard/leads', newLead({ businessName: 'Rivera Foods' }))).body.data.loid
  await happens(portal, partner.id, loid, lendersNote('Please send the statements.'))
  await happens(portal, partner.id, own, status('Lost Lead', 'Rivera Foods'))
  const until = portal.deps.clock.now().toISOString()
  expect((await partner.post('/dashboard/news/seen', { until, loid: own })).status).toBe(200)
  await tellNewsSoon(portal)
  expect((await newsTo(partner.email)).map(subjectOf)).toEqual(['The lender wrote about Okafor Freight'])
  expect((await newsTo(member.email)).map(subjectOf)).toEqual(['Rivera Foods is now Lost Lead'])
  // The member's digest still has the note, and a choice of their own counts for all referrals.
  await member.put('/account/notifications', { choices: { 'lender-note': 'at-once' } })
  await tellNewsSoon(portal)
  expect((await newsTo(member.email)).map(subjectOf)).toContain('The lender wrote about Okafor Freight')
})

test('if more than five leads and deals change at once, one mail covers all of them', async () => {
  const partner = await confirmedPartner()
  for (let i = 1; i <= 6; i++)
    await happens(portal, partner.id, newLoid(), stage('Funded', 'Approved', `Business ${i}`))
  await tellNewsSoon(portal)
  const mails = await newsTo(partner.email)
  expect(mails.map(subjectOf)).toEqual(['News of 6 leads and deals'])
  for (let i = 1; i <= 6; i++) expect(mails[0]).toContain(`Business ${i}, LO-`)
})

test('a person whose mails cannot be made does not delay other people’s mails', async () => {
  const [broken, partner] = [await confirmedPartner(), await confirmedPartner()]
  await broken.put('/account/notifications', { choices: { outcome: 'digest' } })
  await portal.deps.db.updateTable('notification_settings').set({ time_zone: 'AET' }).execute()
  await happens(portal, broken.id, newLoid(), stage('Funded'))
  portal.advance(MINUTE_MS)
  await happens(portal, partner.id, newLoid(), stage('Funded'))
  await tellNewsSoon(portal)
  expect(await newsTo(partner.email)).toHaveLength(1)
  await portal.deps.db.updateTable('notification_settings').set({ time_zone: null }).execute()
})

test('one mail covers thousands of changes to a deal', async () => {
  const partner = await confirmedPartner()
  await partner.put('/account/notifications', { choices: { 'deal-stage': 'at-once' } })
  const changes = Array.from({ length: 1_500 }, () => stage('Pending Approval'))
  await happens(portal, partner.id, newLoid(), ...changes)
  await tellNewsSoon(portal)
  await tellNewsNow(portal)
  expect((await newsTo(partner.email)).map(subjectOf)).toEqual([
    'Okafor Freight is now Pending Approval, and 1499 more changes',
  ])
})

test('a long name is shortened without splitting a character', async () => {
  const partner = await confirmedPartner()
  await happens(portal, partner.id, newLoid(), stage('Funded', 'Approved', '🦘'.repeat(50)))
  await tellNewsSoon(portal)
  const [mail = ''] = await newsTo(partner.email)
  // The headers above the subject contain a token that may look like an encoded byte.
  const told = Buffer.from(mail.slice(mail.indexOf('\nSubject:')), 'latin1').toString()
  expect(told).toContain('🦘')
  expect(told).not.toContain('\uFFFD')
})

test('no sign that nobody sees reaches a subject from a text of the CRM', async () => {
  const partner = await confirmedPartner()
  await partner.put('/account/notifications', { choices: { 'deal-stage': 'at-once' } })
  await happens(portal, partner.id, newLoid(), stage('Fun\u200bded', 'Approved', 'Evil \u202egpj\u0007'))
  await tellNewsSoon(portal)
  const [unseen] = await newsTo(partner.email)
  expect(subjectOf(unseen)).toBe('Evil gpj is now Funded')
  expect(unseen).toMatch(/^Evil gpj \(LO-/m)
  const loid = newLoid()
  await happens(portal, partner.id, loid, stage('Funded', 'Approved', '\u202e\u200b'))
  await tellNewsSoon(portal)
  const [nameless] = await newsTo(partner.email)
  expect(subjectOf(nameless)).toBe(`Good news: ${loid} is Funded`)
})

test('one digest with all waiting news comes at 8:00 on a working day in the person’s time zone', async () => {
  await using other = await startPortal()
  const partner = await confirmedPartner(other)
  await partner.put('/account/notifications', { choices: { webhook: 'digest' }, time_zone: 'Pacific/Auckland' })
  const url = 'https://partner.example/hook'
  await partner.put('/dashboard/webhook-url', { webhook_url: url })
  await other.deps.db
    .transaction()
    .execute((tx) => disableEndpoint(tx, other.deps, partner.id, { url, reason: 'gone' }))
  await happens(other, partner.id, newLoid(), status('Pre Call'), status('Contacted'))
  await happens(other, partner.id, newLoid(), stage('Pending Approval', undefined, 'Saltbush Cafe'))
  await tellNewsSoon(other)
  expect(await newsTo(partner.email, other)).toEqual([])
  const waiting = await other.deps.db.selectFrom('mail_news_for_people').select('due_at').execute()
  const [digestAt, ...others] = new Set(waiting.map((row) => row.due_at))
  expect([waiting.length, others]).toEqual([4, []])
  const local = new Intl.DateTimeFormat('en-AU', {
    timeZone: 'Pacific/Auckland',
    weekday: 'short',
    hour: 'numeric',
    minute: 'numeric',
    hourCycle: 'h23',
  }).format(new Date(digestAt ?? 0))
  expect(local).toMatch(/^(?:Mon|Tue|Wed|Thu|Fri),? 0?8:00$/)

  other.advance(Date.parse(digestAt ?? '') - MINUTE_MS - other.deps.clock.now().getTime())
  await happens(other, partner.id, newLoid(), stage('Approved', undefined, 'At the last minute'))
  other.advance(MINUTE_MS)
  await tellNewsNow(other)
  await tellNewsSoon(other)
  const [digest, ...more] = await newsTo(partner.email, other)
  expect(more).toEqual([])
  expect(subjectOf(digest)).toBe('Your digest: news of 3 leads and deals and your webhook URL')
  expect(digest).toContain('At the last minute, LO-')
  expect(digest).toMatch(/The lead moved from New Lead to Contacted\. \(.+ NZ[DS]T\)/)
  expect(digest).toContain('Saltbush Cafe, LO-')
  other.advance(3 * DAY_MS)
  await tellNewsNow(other)
  expect(await newsTo(partner.email, other)).toHaveLength(1)
})

test('changed settings also apply to news that is already waiting for a digest', async () => {
  const partner = await confirmedPartner()
  await happens(portal, partner.id, newLoid(), status('Pre Call'))
  await happens(portal, partner.id, newLoid(), stage('Pending Approval'))
  await tellNewsSoon(portal)
  await partner.put('/account/notifications', { choices: { 'lead-status': 'never', 'deal-stage': 'at-once' } })
  await tellNewsNow(portal)
  expect((await newsTo(partner.email)).map(subjectOf)).toEqual(['Okafor Freight is now Pending Approval'])
})

test('a queued mail is not sent if the person has turned off this kind of news or has lost access', async () => {
  const ofTwo = await confirmedPartner()
  const colleague = await addColleague(portal, ofTwo, 'member')
  await colleague.put('/account/notifications', { choices: { outcome: 'at-once' } })
  await happens(portal, ofTwo.id, newLoid(), stage('Funded'))
  portal.advance(3 * MINUTE_MS)
  const jobs = { ...portal.deps.jobs, enqueue: async () => undefined }
  await tellNews.run({ ...portal.deps, jobs }, {}, NEVER)
  const written = (await mailsOnTheirWay(portal)).filter(({ partnerId }) => partnerId === ofTwo.id)
  expect(written).toHaveLength(2)
  await ofTwo.put('/account/notifications', { choices: { outcome: 'never' } })
  const ended = await ofTwo.put(`/team/people/${colleague.id}`, { is_active: false })
  expect(ended.status).toBe(200)
  for (const { id, partnerId } of written) await sendNewsMail.run(portal.deps, { mailId: id, partnerId }, NEVER)
  expect([await newsTo(ofTwo.email), await newsTo(colleague.email)]).toEqual([[], []])
  expect((await mailsOnTheirWay(portal)).filter(({ partnerId }) => partnerId === ofTwo.id)).toEqual([])
})

test('a person gets no mail about their own actions or other partners’ records, and no mail at an unconfirmed address', async () => {
  const partner = await confirmedPartner()
  const colleague = await addColleague(portal, partner, 'member')
  const unconfirmed = await portal.newPartner()
  const { loid } = await partner.submitLead()
  await partner.post(`/crm/note/${loid}`, { content: 'My own note to the lender.' })
  await happens(portal, unconfirmed.id, newLoid(), stage('Funded'))
  const at = portal.deps.clock.now().toISOString()
  const { data } = stage('Funded') as Extract<Change, { type: 'deal.stage_changed' }>
  const funded = { type: 'deal.stage_changed', data, partnerId: partner.id, personId: colleague.id, at } as const
  await portal.deps.db.transaction().execute((tx) => recordEvents(tx, [{ ...funded, loid: newLoid() }]))
  await tellNewsSoon(portal)
  expect(await newsTo(colleague.email)).toEqual([])
  expect(await newsTo(unconfirmed.email)).toEqual([])
  expect((await newsTo(partner.email)).map(subjectOf)).toEqual(['Good news: Okafor Freight is Funded'])
})

test('a person who joins after news was recorded gets no mail about it', async () => {
  const partner = await confirmedPartner()
  await happens(portal, partner.id, newLoid(), stage('Funded'))
  portal.advance(1_000)
  const colleague = await addColleague(portal, partner, 'owner')
  await tellNewsSoon(portal)
  expect((await newsTo(partner.email)).map(subjectOf)).toEqual(['Good news: Okafor Freight is Funded'])
  expect(await newsTo(colleague.email)).toEqual([])
  await happens(portal, partner.id, newLoid(), stage('Funded'))
  await tellNewsSoon(portal)
  expect(await newsTo(colleague.email)).toHaveLength(1)
})

test('a given-up push causes one mail, without the applicant’s personal data', async () => {
  const partner = await confirmedPartner()
  const { loid } = await partner.submitLead({
    businessName: 'Wattle & Co',
    email: 'nkem@secret.example',
    businessAbn: '51824753556',
  })
  const payload = { partnerId: partner.id, loid }
  await pushLead.giveUp?.(portal.deps, payload)
  await pushLead.giveUp?.(portal.deps, payload)
  expect((await partner.get(`/crm/lead/${loid}`)).body.data.lead.crm).toBe('failed')
  await tellNewsSoon(portal)
  const [mail, ...more] = await newsTo(partner.email)
  expect(more).toEqual([])
  expect(subjectOf(mail)).toBe('Wattle & Co could not reach the CRM')
  expect(mail).toContain(`/leads/${loid}`)
  expect(mail).not.toMatch(/secret|0491|491570156|51\s?824/)
})

test('if a given-up push succeeds before the mail about it goes out, no mail is sent', async () => {
  const partner = await confirmedPartner()
  const { loid } = await partner.submitLead()
  await pushLead.giveUp?.(portal.deps, { partnerId: partner.id, loid })
  await portal.deps.db.updateTable('leads').set({ crm: 'synced' }).where('loid', '=', loid).execute()
  await tellNewsSoon(portal)
  expect(await newsTo(partner.email)).toEqual([])
})

test('POST /unsubscribe with a mail’s token turns off the kinds of news in that mail, and the token gives no other access', async () => {
  const partner = await confirmedPartner()
  await happens(portal, partner.id, newLoid(), stage('Funded'))
  await tellNewsSoon(portal)
  const [mail] = await newsTo(partner.email)
  const { url, token } = linkIn(mail)
  expect(mail).toContain(`No more emails like this: ${url}`)
  const choices = async () => (await partner.get('/account/notifications')).body.data.choices
  const path = url.replace(portal.deps.publicUrl, portal.url)

  await fetch(path)
  await fetch(path, { method: 'HEAD' })
  expect((await choices()).outcome).toBe('at-once')

  const asMailProgram = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'List-Unsubscribe=One-Click',
  })
  expect(asMailProgram.status).toBe(200)
  expect(await choices()).toMatchObject({ outcome: 'never', 'lender-note': 'at-once' })

  const form = new FormData()
  form.set('List-Unsubscribe', 'One-Click')
  expect((await fetch(path, { method: 'POST', body: form })).status).toBe(200)
  const again = await portal.post('/unsubscribe', { token })
  expect([again.status, again.body.data]).toEqual([200, { kinds: ['outcome'] }])

  for (const refused of [
    await portal.get('/account/notifications', { token }),
    await portal.get('/profile', { token }),
    await portal.post('/auth/verify', { token }),
    await portal.post('/auth/verify-email', { token }, { token: partner.token }),
    await portal.post('/auth/reset-password', { token, newPassword: 'another-fine-horse' }),
    await portal.post('/auth/disown', { token }),
    await portal.post('/auth/undo-email', { token }),
  ]) {
    expect(refused.status).toBeGreaterThanOrEqual(400)
  }
  await happens(portal, partner.id, newLoid(), stage('Funded'))
  await tellNewsSoon(portal)
  expect(await newsTo(partner.email)).toHaveLength(1)
})

test('POST /unsubscribe refuses an unknown token, in a JSON body and in the query', async () => {
  const refused = await portal.post('/unsubscribe', { token: 'made-up' })
  expect([refused.status, refused.body.code]).toEqual([400, 'INVALID_UNSUBSCRIBE_LINK'])
  for (const query of ['?token=made-up', '', '?token=a&token=b']) {
    expect((await fetch(`${portal.url}/unsubscribe${query}`, { method: 'POST', body: 'x' })).status).toBe(400)
  }
})

test('mails about security have no unsubscribe link', async () => {
  const partner = await confirmedPartner()
  await partner.post('/dashboard/generate-api-key')
  expect(await portal.mailTo(partner.email, 'An API key was made')).not.toMatch(/unsubscribe/i)
})

test('a first sync sends no mails, but the lender’s later changes do', async () => {
  await using withCrm = await startPortal({ withCrm: true })
  const lender = openLender(withCrm.crmUrl)
  const partner = await confirmedPartner(withCrm)
  const Partner = {
    id: await waitFor('the partner in the CRM', async () => (await partner.get('/profile')).body.data.zoho_id),
  }
  const lead = { Company: 'Rivera Group', First_Name: 'Jo', Last_Name: 'Rivera', Email: 'jo@secret.example', Partner }
  const id = await lender.create('Leads', { ...lead, Lead_Status: 'Contacted' })
  await lender.addNote('Leads', id, { content: 'Written before the first sync.' })
  await partner.post('/crm/sync')
  await tellNewsSoon(withCrm)
  expect(await newsTo(partner.email, withCrm)).toEqual([])

  await lender.update('Leads', id, { Lead_Status: 'Not Qualified' })
  await lender.addNote('Leads', id, { content: 'The turnover is too low.' })
  await waitFor('both changes in the portal', async () => {
    await partner.post('/crm/sync')
    return (await withCrm.deps.db.selectFrom('mail_news').execute()).length === 2
  })
  await tellNewsSoon(withCrm)
  const [mail, ...more] = await newsTo(partner.email, withCrm)
  expect(more).toEqual([])
  expect(subjectOf(mail)).toBe('Rivera Group is now Not Qualified, and 1 more change')
  expect(mail).toContain('> The turnover is too low.')
  expect(mail).not.toContain('secret')
})

test('a mail tells no outcome or payment that the lender has taken back, and names the present stage', async () => {
  await using withCrm = await startPortal({ withCrm: true })
  const lender = openLender(withCrm.crmUrl)
  await withCrm.deps.crm.makeMissingFields(['payments'])
  await noteFieldGroups(withCrm.deps)
  const partner = await confirmedPartner(withCrm)
  const Partner = {
    id: await waitFor('the partner in the CRM', async () => (await partner.get('/profile')).body.data.zoho_id),
  }
  const look = async () => {
    withCrm.advance(MINUTE_MS)
    await runSweep(withCrm.deps, AbortSignal.timeout(30_000))
  }
  const moved = async (module: string, id: string, ...changes: object[]) => {
    for (const change of changes) {
      await lender.update(module, id, change)
      await look()
    }
  }
  const lead = await lender.create('Leads', {
    Company: 'Rivera Group',
    Last_Name: 'Rivera',
    Lead_Status: 'New Lead',
    Partner,
  })
  const paid = { Partner_Commission: 8642.97, Commission_Status: 'Payable' }
  const named = { Deal_Name: 'Okafor Freight', Business_Name: 'Okafor Freight' }
  const deal = await lender.create('Deals', { ...named, Stage: 'Approved', Partner, ...paid })
  await look()
  await partner.put('/account/notifications', { choices: { payment: 'at-once' } })

  await moved('Leads', lead, { Lead_Status: 'Lost Lead' }, { Lead_Status: 'Contacted' })
  await moved('Deals', deal, { Stage: 'Funded' }, { Stage: 'Pending Approval' })
  await moved('Deals', deal, { Commission_Status: 'Paid' }, { Commission_Status: 'Payable' })
  await tellNewsSoon(withCrm)
  expect(await newsTo(partner.email, withCrm)).toEqual([])

  // The way back waits for the digest, unless the person wants it at once.
  await partner.put('/account/notifications', { choices: { 'deal-stage': 'at-once', outcome: 'digest' } })
  await tellNewsNow(withCrm)
  const [back] = await newsTo(partner.email, withCrm)
  expect(subjectOf(back)).toBe('Okafor Freight is now Pending Approval')
  expect(back).toContain('The deal moved from Funded to Pending Approval.')
  await moved('Deals', deal, { Stage: 'Approved' }, { Stage: 'Funded' })
  await tellNewsSoon(withCrm)
  const [ahead] = await newsTo(partner.email, withCrm)
  expect(subjectOf(ahead)).toBe('Good news: Okafor Freight is Funded')
  expect(ahead).toContain('The loan has been paid out.')
  expect(ahead).toContain('The deal moved from Pending Approval to Approved.')
})

test('a mail asks for no answer that the lender no longer waits for, and reports none that nobody gave', async () => {
  await using withCrm = await startPortal({ withCrm: true })
  const lender = openLender(withCrm.crmUrl)
  const partner = await confirmedPartner(withCrm)
  const colleague = await addColleague(withCrm, partner, 'member')
  const look = async () => {
    withCrm.advance(MINUTE_MS)
    await runSweep(withCrm.deps, AbortSignal.timeout(30_000))
  }
  const pushedLead = async (businessName: string) => {
    const { loid } = await partner.submitLead({ businessName, email: `${businessName}@example.com` })
    await partner.pushedLead(loid)
    const id = String((await lender.list('Leads', 'LOID')).find((one) => one['LOID'] === loid)?.['id'])
    return {
      loid,
      id,
      ask: (asked: string) => lender.create('Tasks', { Subject: `Partner: ${asked}`, What_Id: { id } }),
    }
  }
  const [settled, open, noted] = [await pushedLead('Settled'), await pushedLead('Open'), await pushedLead('Noted')]
  await look()
  await settled.ask('Bank statements')
  const [mistaken, called] = [await settled.ask('Made by mistake'), await settled.ask('Call the applicant')]
  await open.ask('Lease')
  const note = await lender.addNote('Leads', noted.id, { title: 'Partner', content: 'Please call me at 3 pm.' })
  await look()
  await lender.update('Notes', note, { Note_Content: 'Please call me at 5 pm.' })
  const { requests } = (await colleague.get(`/crm/lead/${settled.loid}`)).body.data
  const { id } = requests.find((one: { subject: string }) => one.subject === 'Bank statements')
  const content = 'All is said by phone.'
  expect((await colleague.post(`/crm/request/${id}/answer`, { content })).status).toBe(201)
  expect((await colleague.post(`/crm/note/${noted.loid}`, { content })).status).toBe(201)
  await lender.remove('Tasks', mistaken)
  await lender.update('Tasks', called, { Status: 'Completed' })
  await look()
  await tellNewsSoon(withCrm)

  const mails = await newsTo(partner.email, withCrm)
  const mailAbout = ({ loid }: { loid: string }) => mails.find((mail) => mail.includes(loid)) ?? ''
  expect(mails).toHaveLength(3)
  expect(subjectOf(mailAbout(settled))).toBe('The lender no longer asks about Settled: Call the applicant')
  expect(mailAbout(settled)).toContain('The lender no longer asks: Call the applicant.')
  expect(mailAbout(settled)).not.toMatch(/waits for your answer|\?answer=|Bank|mistake/)
  expect(subjectOf(mailAbout(open))).toBe('The lender asks about Open: Lease')
  expect(mailAbout(open)).toMatch(/Your turn: the lender waits for your answer\.[^]*\?answer=/)
  expect(subjectOf(mailAbout(noted))).toBe('The lender wrote about Noted')
  expect(mailAbout(noted)).toContain('> Please call me at 5 pm.')
  expect(mailAbout(noted)).not.toMatch(/waits for your answer|3 pm/)

  // The request of the open lead keeps the turn with the partner, whatever else is told of it.
  await partner.put('/account/notifications', { choices: { 'lead-status': 'at-once' } })
  await lender.update('Leads', open.id, { Lead_Status: 'Contacted' })
  await look()
  await tellNewsSoon(withCrm)
  const moved = (await newsTo(partner.email, withCrm)).find((mail) => mail.includes('Open is now Contacted'))
  expect(moved).toContain('Your turn: the lender waits for your answer.')
})

/** Starts a server that speaks as much SMTP as a mailer needs. `onMessage` gets each whole message and answers it. */
async function startSmtp(answerTo: (command: string) => string, onMessage: (mail: string, socket: Socket) => void) {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    let inData = false
    let said = ''
    socket.on('error', () => undefined)
    socket.setEncoding('utf8').on('data', (piece: string) => {
      said += piece
      if (inData) {
        if (!said.endsWith('\r\n.\r\n')) return
        inData = false
        onMessage(said, socket)
        said = ''
        return
      }
      if (!said.endsWith('\r\n')) return
      const command = said.slice(0, 4).toUpperCase()
      said = ''
      inData = command === 'DATA'
      socket.write(
        command === 'DATA' ? '354 go on\r\n' : command === 'QUIT' ? '221 bye\r\n' : `${answerTo(command)}\r\n`,
      )
    })
    socket.write('220 test\r\n')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return {
    url: `smtp://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

test('a mail keeps its Message-ID if an operator sends it again after a lost answer, and a mail server that is slow to accept one mail delays no other mail', async () => {
  const received: string[] = []
  const hanging: Socket[] = []
  let refused = ''
  const answerTo = (command: string) => (command === refused ? '550 refused' : '250 ok')
  await using smtp = await startSmtp(answerTo, (mail, socket) => {
    if (!mail.includes('List-Unsubscribe:')) return void socket.write('250 taken\r\n')
    received.push(mail)
    if (mail.includes('To: slow@')) hanging.push(socket)
    else if (received.filter((one) => one.includes('To: lost@')).length === 1 && mail.includes('To: lost@'))
      socket.destroy()
    else socket.write('250 taken\r\n')
  })
  await using folder = await openDataFolder()
  await using withSmtp = await startPortal({ env: { SMTP_URL: smtp.url, MAIL_FROM: 'Portal <portal@lender.example>' } })
  const people = await Promise.all(
    ['slow', 'lost', 'fine'].map((name) => withSmtp.newPartner({ email: `${name}@example.com` })),
  )
  await withSmtp.deps.db.updateTable('people').set({ email_verified: true }).execute()
  for (const { id } of people) await happens(withSmtp, id, newLoid(), stage('Funded'))
  withSmtp.advance(3 * MINUTE_MS)
  await tellNews.run(withSmtp.deps, {}, NEVER)
  await waitFor('one hanging and one failed mail', async () => {
    const left = await withSmtp.deps.db.selectFrom('mails').select('problem').orderBy('problem').execute()
    return hanging.length === 1 && left.length === 2 && left.some(({ problem }) => problem !== null)
  })
  expect(received.filter((mail) => mail.includes('To: fine@'))).toHaveLength(1)
  const [lost] = await withSmtp.deps.db
    .selectFrom('mails')
    .select(['id', 'partner_id'])
    .where('problem', 'is not', null)
    .execute()
  await sendNewsMail.giveUp?.(withSmtp.deps, { mailId: lost?.id ?? '', partnerId: lost?.partner_id ?? '' })
  // The command may send the mail itself before the portal does, so it needs all of the portal's settings.
  const env = {
    DATABASE_URL: withSmtp.database.url,
    SECRETS_KEY,
    PUBLIC_URL: withSmtp.deps.publicUrl,
    SMTP_URL: smtp.url,
    MAIL_FROM: 'Portal <portal@lender.example>',
  }
  expect((await folder.command(['mails'], env)).out).toMatch(
    new RegExp(`^${lost?.id} .* lost@example.com +given up `, 'm'),
  )
  expect(await folder.command(['mails', 'retry', 'LOST@example.com'], env)).toMatchObject({
    code: 0,
    out: 'Mails queued to be sent again: 1\n',
  })
  await waitFor('the second attempt', async () => received.filter((mail) => mail.includes('To: lost@')).length === 2)
  const [first, second] = received.filter((mail) => mail.includes('To: lost@'))
  const messageId = `Message-ID: <${lost?.id}@lender.example>`
  expect([first?.includes(messageId), second?.includes(messageId)]).toEqual([true, true])
  expect(linkIn(second)).toEqual(linkIn(first))
  expect(linkIn(first).token).not.toBe('')
  for (const socket of hanging) socket.write('250 taken\r\n')
  await waitFor('the slow mail to be sent', async () => (await mailsOnTheirWay(withSmtp)).length === 0)

  // If the server refuses the sender, the mail is tried again, because an operator can correct the sender's address. A
  // refused recipient is final.
  await happens(withSmtp, people[2]?.id ?? '', newLoid(), stage('Funded'))
  withSmtp.advance(3 * MINUTE_MS)
  await tellNews.run({ ...withSmtp.deps, jobs: { ...withSmtp.deps.jobs, enqueue: async () => undefined } }, {}, NEVER)
  const [refusal] = await mailsOnTheirWay(withSmtp)
  const send = () =>
    sendNewsMail
      .run(withSmtp.deps, { mailId: refusal?.id ?? '', partnerId: refusal?.partnerId ?? '' }, NEVER)
      .catch((error: unknown) => error instanceof GiveUp)
  refused = 'MAIL'
  expect(await send()).toBe(false)
  refused = 'RCPT'
  expect(await send()).toBe(true)
})

test('the outbox contains a mail once, however often the mail is sent', async () => {
  const outbox = join(portal.deps.config.dataDir, 'outbox')
  const mail = { id: 'the-same-mail', to: 'a@example.com', subject: 'Twice', parts: [] }
  await Promise.all(
    [portal.deps.mail.send(mail), portal.deps.mail.send({ ...mail, to: 'b@example.com' })].map((sent) =>
      sent.catch(() => undefined),
    ),
  )
  await portal.deps.mail.send(mail)
  expect((await readdir(outbox)).filter((file) => file.includes('the-same-mail'))).toEqual(['the-same-mail.eml'])
  expect(await readFile(join(outbox, 'the-same-mail.eml'), 'utf8')).toContain('To: a@example.com')
})

test('GET /outbox shows mails in development without running scripts in them', async () => {
  const to = `<img/src=x>${'a'.repeat(3)}@example.com`
  await portal.deps.mail.send({
    id: '0-with-markup',
    to,
    subject: '<script>alert(1)</script>',
    parts: [{ part: 'button', label: 'Open', url: 'https://portal.example/leads/LO-1' }],
  })
  const page = await fetch(`${portal.url}/outbox`)
  expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'/)
  const list = await page.text()
  expect(list).toContain('&#60;script&#62;alert(1)')
  expect(list).not.toMatch(/<script|<img/)
  // Without a mouse, the mail is one key away from the start of the page, however many mails there are.
  expect(list).toMatch(/<body>\s*<a [^>]*href="#mail">Skip to the mail<\/a>/)
  expect(list).toContain('<main id="mail" tabindex="-1">')
  expect(list).toMatch(/<time>\d{1,2} \w{3,4} \d{4}, \d{1,2}:\d\d.[ap]m UTC<\/time>/)

  const mail = await (await fetch(`${portal.url}/outbox/0-with-markup`)).text()
  expect(mail).toContain('sandbox="allow-popups allow-popups-to-escape-sandbox" src="/outbox/0-with-markup/html"')
  const html = await fetch(`${portal.url}/outbox/0-with-markup/html`)
  expect(html.headers.get('content-security-policy')).toMatch(/^sandbox allow-popups .*default-src 'none'/)
  expect(await html.text()).toContain('href="https://portal.example/leads/LO-1"')
  expect(await (await fetch(`${portal.url}/outbox/0-with-markup?view=text`)).text()).toContain('<pre>Open: https://')
  expect(await (await fetch(`${portal.url}/outbox/0-with-markup?view=headers`)).text()).toContain('message-id')
  for (const id of ['unknown', '..%2Fportal', 'a.b']) {
    expect((await fetch(`${portal.url}/outbox/${id}`)).status).toBe(404)
  }
})

test('a portal with a mail server has no /outbox', async () => {
  await using withSmtp = await startPortal({ env: { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'a@lender.example' } })
  const answer = await fetch(`${withSmtp.url}/outbox/0-with-markup/html`)
  expect(await answer.text()).not.toContain('<base target')
  expect(answer.headers.get('content-security-policy')).not.toContain('sandbox')
})
