import { join } from 'node:path'
import { Pagination } from '@portal/contract/answer.ts'
import type { PersonRight } from '@portal/contract/person-rights.ts'
import { type Role, reaches } from '@portal/contract/roles.ts'
import type { Route } from '@portal/contract/route.ts'
import pMap from 'p-map'
import { afterAll, beforeAll, expect, test } from 'vitest'
import * as z from 'zod/mini'
import { noteFieldGroups } from '../crm/pull/fields/optional-values.ts'
import { hashToken } from '../features/accounts/tokens.ts'
import { keepUnsubscribeToken } from '../features/mails/unsubscribe-tokens.queries.ts'
import { newId } from '../platform/db/ids.ts'
import { openAuthenticator } from '../testing/authenticator.ts'
import {
  askRoute,
  faultOf,
  HELLO_SHA256,
  INVITED,
  LEADS_FILE,
  NAMED_ROUTES as named,
  ROUTES,
  ROUTES_WITH_ID,
  validBody,
  validQuery,
} from '../testing/contract-routes.ts'
import { insertDeal } from '../testing/insert-deal.ts'
import { insertRequest } from '../testing/insert-request.ts'
import { openLender } from '../testing/lender.ts'
import { makeKey } from '../testing/make-key.ts'
import { addApp, addPasskey, beginApp } from '../testing/second-factor.ts'
import {
  type Answer,
  addColleague,
  confirmEmail,
  invitationToken,
  startPortal,
  type TestPartner,
  type TestPortal,
} from '../testing/start-portal.ts'
import { sendPart } from '../testing/upload.ts'
import { waitFor } from '../testing/wait-for.ts'

const withSession = named.filter(([, route]) => needsCaller(route))

let portal: TestPortal
let partner: TestPartner
/** A key that may submit and read. */
let apiKey: string
/** `partner` asks for this partner's records and must not get them. */
let owner: TestPartner
/** The partner that calls the GET routes. These routes change nothing, so one partner is enough for all of them. */
let reader: TestPartner
/** A token for each kind of caller. The viewer, member, owner and deactivated person belong to one business. */
let callers: Record<CallerKind, string | undefined>
let foreign: string[]
beforeAll(async () => {
  portal = await startPortal()
  // Without this group of fields, nobody has the right to see money.
  const group = { name: 'payments' as const, fields: ['partner_commission'], seen_at: new Date().toISOString() }
  await portal.deps.db.insertInto('crm_field_groups').values(group).execute()
  partner = await portal.newPartner()
  await confirmEmail(portal, partner)
  const { api_key: oneKey } = (await partner.post('/dashboard/generate-api-key')).body.data
  apiKey = await makeKey(partner, ['submit', 'read'])
  const readingKey = await makeKey(partner, ['read'])
  // A body sent to /team/settings may make a second factor compulsory. With this passkey, every route still serves
  // `partner`.
  await addPasskey(portal, partner)
  owner = await portal.newPartner()
  reader = await portal.newPartner()
  const lead = await owner.submitLead()
  const deal = await insertDeal(portal.deps.db, owner.id)
  const at = new Date().toISOString()
  const run = { id: newId(), partner_id: owner.id, kind: 'leads', status: 'succeeded', started_at: at } as const
  await portal.deps.db
    .insertInto('sync_runs')
    .values({ ...run, phase: null, error: null, result: null, finished_at: at })
    .execute()
  const log = { id: newId(), partner_id: owner.id, direction: 'outbound', status: 'success', created_at: at } as const
  await portal.deps.db
    .insertInto('webhook_logs')
    .values({ ...log, endpoint: 'https://partner.example/hook' })
    .execute()
  await confirmEmail(portal, owner)
  const invitation = await owner.post('/team/invitations', { ...INVITED, email: 'foreign@example.com' })
  const person = (await owner.get('/profile')).body.data.person_id
  await makeKey(owner, ['read'], 'Foreign system')
  const namedKey = (await owner.get('/dashboard/api-keys')).body.data.keys[0].id
  const imported = (await owner.post('/dashboard/leads/imports', LEADS_FILE)).body.data.id
  const note = (await owner.post(`/crm/note/${lead.loid}`, { content: 'A note long enough.' })).body.data.note.id
  const request = await insertRequest(portal.deps.db, lead.loid)
  foreign = [
    imported,
    note,
    request,
    await begunDocument(owner, lead.loid),
    await keepView(owner),
    `no-movement.lead.${lead.id}.1`,
    lead.loid,
    lead.id,
    deal.loid,
    deal.id,
    run.id,
    log.id,
    invitation.body.data.id,
    person,
    namedKey,
  ]

  const business = await portal.newPartner()
  const viewer = await addColleague(portal, business, 'viewer')
  const member = await addColleague(portal, business, 'member')
  const paidViewer = await addColleague(portal, business, 'viewer')
  const paidMember = await addColleague(portal, business, 'member')
  for (const { id } of [paidViewer, paidMember]) await business.put(`/team/people/${id}`, { sees_money: true })
  const gone = await addColleague(portal, business, 'owner')
  await business.put(`/team/people/${gone.id}`, { is_active: false })
  callers = {
    'no session': undefined,
    viewer: viewer.token,
    member: member.token,
    'viewer who sees money': paidViewer.token,
    'member who sees money': paidMember.token,
    owner: business.token,
    'deactivated person': gone.token,
    'foreign partner’s owner': owner.token,
    'API key': oneKey,
    'API key that only reads': readingKey,
  }
})
afterAll(() => portal[Symbol.asyncDispose]())

let asked = 0
/** The names of the routes that were tried without a session and with a foreign session. */
const tried = { withoutSession: new Set<string>(), withForeignSession: new Set<string>() }
/** How many routes are prepared at once. Most of the preparation is waiting for the CRM. */
const AT_ONCE = 6

function needsCaller({ auth }: Route): boolean {
  return auth !== 'none' && auth !== 'session-or-none'
}

function tokenFor(route: Route): string {
  return route.auth === 'api-key' ? apiKey : partner.token
}

function ask(route: Route, request?: Parameters<typeof askRoute>[2]) {
  asked += 1
  return askRoute(portal, route, request)
}

test('the contract has more than 25 routes, and no two share a method and path', () => {
  expect(ROUTES.length).toBeGreaterThan(25)
  expect(new Set(named.map(([name]) => name)).size).toBe(ROUTES.length)
})

test.each(named)('%s exists, and needs a session or key only if the contract says so', async (name, route) => {
  const { status, body } = await ask(route)
  expect(body.error).not.toBe('There is no such address in this API')
  expect(status === 401 && body.code === 'UNAUTHORIZED').toBe(needsCaller(route))
  tried.withoutSession.add(name)
})

test.each(withSession)('%s answers 401 without a session and for an unknown token', async (_name, route) => {
  expect(faultOf(await ask(route), 401)).toBeUndefined()
  expect(faultOf(await ask(route, { token: 'A'.repeat(43) }), 401)).toBeUndefined()
  expect(faultOf(await ask(route, { token: "x' or 1=1 --" }), 401)).toBeUndefined()
})

test.each(named)('%s shows a foreign session nothing about another partner', async (name, route) => {
  const visitor = route.method === 'GET' ? reader : await portal.newPartner()
  const answer = await ask(route, { token: visitor.token, body: validBody(route), query: validQuery(route) })
  const text = JSON.stringify(answer.body)
  for (const word of [...foreign, owner.id, owner.email, owner.businessName]) expect(text).not.toContain(word)
  tried.withForeignSession.add(name)
})

const CALLERS = [
  'no session',
  'viewer',
  'member',
  'viewer who sees money',
  'member who sees money',
  'owner',
  'deactivated person',
  'foreign partner’s owner',
  'API key',
  'API key that only reads',
] as const
type CallerKind = (typeof CALLERS)[number]
const IS_WHO: Partial<Record<CallerKind, { role: Role; rights: PersonRight[] }>> = {
  viewer: { role: 'viewer', rights: [] },
  member: { role: 'member', rights: [] },
  'viewer who sees money': { role: 'viewer', rights: ['money'] },
  'member who sees money': { role: 'member', rights: ['money'] },
  owner: { role: 'owner', rights: ['money'] },
  'foreign partner’s owner': { role: 'owner', rights: ['money'] },
}

/** The answer that the contract prescribes for a kind of caller, before the request itself is checked. */
function verdictOn(route: Route, kind: CallerKind): 'served' | 'unknown' | 'not allowed' {
  if (!needsCaller(route)) return 'served'
  if (kind === 'API key' || kind === 'API key that only reads') {
    if (route.right === undefined) return 'unknown'
    return ['any', kind === 'API key' ? 'submit' : 'read'].includes(route.right) ? 'served' : 'not allowed'
  }
  const who = IS_WHO[kind]
  if (who === undefined || route.least === undefined) return 'unknown'
  const hasRight = route.personRight === undefined || who.rights.includes(route.personRight)
  return hasRight && reaches(who.role, route.least) ? 'served' : 'not allowed'
}

let walked = 0
test.each(named)('%s serves each kind of caller, or refuses it, as the contract says', async (_name, route) => {
  const verdicts: Record<string, string> = {}
  for (const kind of CALLERS) {
    // These routes would end the session at once or in half a minute, but other routes need the session.
    const isEnding = ['/auth/logout', '/auth/refresh'].includes(route.path)
    if (isEnding && verdictOn(route, kind) === 'served') verdicts[kind] = 'served'
    else
      verdicts[kind] = verdictOf(
        await ask(route, { token: callers[kind], body: validBody(route), query: validQuery(route) }),
      )
    walked += 1
  }
  expect(verdicts).toEqual(Object.fromEntries(CALLERS.map((kind) => [kind, verdictOn(route, kind)])))
})

function verdictOf({ status, body }: Answer): string {
  if (status === 401 && body.code === 'UNAUTHORIZED' && body.error !== 'Token verification failed') return 'unknown'
  if (status === 403 && body.code === 'NOT_ALLOWED') return 'not allowed'
  // No CRM runs in these tests, so 502 also shows that the caller was served.
  return status < 500 || status === 502 ? 'served' : `${status} ${body.error}`
}

const forOneKind = withSession.filter(([, route]) => route.auth !== 'session-or-api-key')
test.each(forOneKind)(
  '%s answers 401 to an API key if the route needs a session, and to a session if the route needs an API key',
  async (_name, route) => {
    const token = route.auth === 'session' ? apiKey : partner.token
    expect(faultOf(await ask(route, { token, body: validBody(route) }), 401)).toBeUndefined()
  },
)

test.each(ROUTES_WITH_ID)(
  '%s answers 404 for another partner’s record, as for an unknown record',
  async (_name, route) => {
    const unknown = await ask(route, { token: tokenFor(route), body: validBody(route), query: validQuery(route) })
    expect(faultOf(unknown, 404)).toBeUndefined()
    for (const id of foreign) {
      const answer = await ask(route, { token: tokenFor(route), id, body: validBody(route), query: validQuery(route) })
      expect([id, answer.status, answer.body]).toEqual([id, 404, unknown.body])
    }
  },
)

const creating = named.filter(([, route]) => route.creates)
test.each(creating)(
  '%s gives the same answer to five simultaneous requests with one Idempotency-Key, and creates one record',
  async (name, route) => {
    const lead = await partner.submitLead()
    // A test event needs a webhook URL.
    await partner.put('/dashboard/webhook-url', { webhook_url: 'https://partner.example/hook' })
    const body = {
      ...validBody(route),
      ...(name === 'POST /crm/note' && { loid: lead.loid }),
      ...(name === 'POST /auth/signup' && NOBODY_YET),
    }
    const isRequest = route.path.startsWith('/crm/request/')
    const isPayment = route.path.startsWith('/payments/')
    const paid = isPayment && (await insertDeal(portal.deps.db, partner.id, { partner_commission: 5 })).loid
    const id = isRequest ? await insertRequest(portal.deps.db, lead.loid) : paid || lead.loid
    const path = route.path.replace(/:\w+/, id)
    const request = { token: tokenFor(route), headers: { 'idempotency-key': `conformance ${name}` }, body }
    const answers = await Promise.all(Array.from({ length: 5 }, () => portal.ask(route.method, path, request)))
    const [first] = answers
    expect(answers.map((answer) => [answer.status, answer.body])).toEqual(Array(5).fill([201, first?.body]))
    expect(answers.filter((answer) => answer.headers.get('idempotency-replayed') === 'true')).toHaveLength(4)
  },
)

test('every successful answer has exactly the fields that the contract names', async () => {
  const env = { AGREEMENT_FILE: join(import.meta.dirname, '../testing/agreement.md') }
  await using withCrm = await startPortal({ withCrm: true, env })
  await withCrm.deps.crm.makeMissingFields(['payments'])
  await noteFieldGroups(withCrm.deps)
  // Reading changes nothing, so one partner is enough for all reads except those of the team routes.
  const ofReads = openSubject(withCrm)
  const askWithSuccess = async ([name, route]: [string, Route]) => {
    const isRead = route.method === 'GET' && !isOfTeam(route)
    const request = await successfulRequest(withCrm, name, route, await (isRead ? ofReads : openSubject(withCrm)))
    const answer = await withCrm.ask(route.method, request.path, request)
    expect([name, answer.status, answer.body]).toEqual([name, route.status, expect.objectContaining({ success: true })])
    const { data, pagination } = answer.body
    const form = {
      bare: () => Object(z.parse(route.answer, answer.body)),
      data: () => ({ data: z.parse(route.answer, data) }),
      paged: () => ({ data: z.parse(route.answer, data), pagination: Pagination.parse(pagination) }),
      stream: () => ({ data: z.parse(route.answer, data) }),
      file: () => expect.fail('a file has no envelope'),
      whole: () => expect.fail('a protocol of its own has no envelope'),
    }
    expect([name, answer.body]).toEqual([name, { success: true, ...form[route.envelope]() }])
  }
  const withFields = named.filter(([, route]) => route.envelope !== 'file' && route.envelope !== 'whole')
  await pMap(withFields, askWithSuccess, { concurrency: AT_ONCE })
})

test('every route was tried without a session and with a foreign session', () => {
  const all = named.map(([name]) => name)
  expect(all.filter((name) => !tried.withoutSession.has(name))).toEqual([])
  expect(all.filter((name) => !tried.withForeignSession.has(name))).toEqual([])
  console.log(
    `Contract: ${all.length} routes were tried without a session and with another partner’s session (${asked} requests); ${walked} pairs of route and caller were tried (callers: ${CALLERS.join(', ')})`,
  )
})

/** A partner with a deal, a webhook URL, an API key and a lead that is in the CRM. */
async function openSubject(on: TestPortal) {
  const subject = await on.newPartner()
  await waitFor('the partner in the CRM', async () => (await subject.get('/profile')).body.data.zoho_id)
  const { loid } = await subject.submitLead()
  const lead = await subject.pushedLead(loid)
  const deal = await insertDeal(on.deps.db, subject.id, { partner_commission: 5 })
  await subject.put('/dashboard/webhook-url', { webhook_url: 'https://partner.example/hook' })
  const api_key = await makeKey(subject, ['submit', 'read'])
  return { subject, loid, lead, deal, api_key }
}

type Subject = Awaited<ReturnType<typeof openSubject>>

/** A request that the route answers with success. */
async function successfulRequest(on: TestPortal, name: string, route: Route, ready: Subject) {
  const { subject, loid, lead, deal, api_key } = ready
  const linkToken = async () => {
    const mail = await on.mailTo(subject.email, '/verify-email?token=')
    return /verify-email\?token=([\w-]+)/.exec(mail)?.[1]
  }
  const changeToken = async () => {
    await subject.put('/account/email', { email: `new-${subject.email}` })
    const mail = await on.mailTo(`new-${subject.email}`)
    return /confirm-email\?token=([\w-]+)/.exec(mail)?.[1]
  }
  if (isOfTeam(route)) await confirmEmail(on, subject)
  const invite = async () => {
    const invited = await subject.post('/team/invitations', { ...INVITED, email: `for-${subject.id}@example.com` })
    return invited.body.data
  }
  const invited = async () => invitationToken(on, (await invite()).email)
  const bodies: Record<string, () => Promise<object>> = {
    'POST /auth/invitation': async () => ({ token: await invited() }),
    'POST /auth/accept-invitation': async () => ({ token: await invited(), password: 'correct-horse-battery' }),
    'POST /account/agreement': async () => {
      const { version, sha256 } = (await subject.get('/account/agreement')).body.data.agreement
      return { version, sha256 }
    },
    'POST /auth/login': async () => ({ email: subject.email, password: subject.password }),
    'POST /auth/verify': async () => ({ token: subject.token }),
    'POST /auth/forgot-password': async () => ({ email: subject.email }),
    'POST /auth/reset-password': async () => {
      const { resetToken } = (await on.post('/auth/forgot-password', { email: subject.email })).body.data
      return { token: resetToken, newPassword: 'another-fine-horse' }
    },
    'POST /auth/reset-access': async () => {
      return { token: (await on.post('/auth/forgot-password', { email: subject.email })).body.data.resetToken }
    },
    'POST /auth/verify-email': async () => {
      return { token: await linkToken(), password: subject.password }
    },
    'PUT /account/email': async () => ({ email: `new-${subject.email}` }),
    'POST /auth/confirm-email': async () => ({ token: await changeToken() }),
    'POST /auth/undo-email': async () => {
      await on.post('/auth/verify-email', { token: await linkToken(), password: subject.password })
      await on.post('/auth/confirm-email', { token: await changeToken() })
      const mail = await on.mailTo(subject.email, '/undo-email?token=')
      return { token: /undo-email\?token=([\w-]+)/.exec(mail)?.[1] }
    },
    'POST /auth/disown': async () => ({ token: await linkToken() }),
    'PUT /profile': async () => ({ business_name: subject.businessName, phone: '0491 570 006' }),
    'PUT /profile/password': async () => ({
      currentPassword: subject.password,
      newPassword: 'another-fine-horse',
      confirmPassword: 'another-fine-horse',
    }),
    'POST /unsubscribe': async () => {
      const token = `of ${subject.id}`
      const person = on.deps.db.selectFrom('people').select('id').where('partner_id', '=', subject.id)
      const { id: personId } = await person.executeTakeFirstOrThrow()
      const at = on.deps.clock.now().toISOString()
      await keepUnsubscribeToken(on.deps.db, { hash: hashToken(token), personId, kinds: ['crm'], at })
      return { token }
    },
    'POST /crm/note': async () => ({ loid, content: 'A note long enough.' }),
    'POST /auth/second-factor': async () => {
      const app = await addApp(on, subject)
      const { email, password } = subject
      const { second_factor } = (await on.post('/auth/login', { email, password })).body
      // The first code is used up. Moving the clock would spoil the codes for routes that are tried at the same time.
      return { token: second_factor.token, code: app.codeAt(30_000) }
    },
    'POST /auth/passkey': async () => ({ passkey: await (await addPasskey(on, subject)).answer() }),
    'POST /account/confirm': async () => ({ password: subject.password }),
    'POST /account/access/remove-others': async () => ({ password: subject.password }),
    'POST /account/totp/confirm': async () => ({ code: (await beginApp(on, subject)).codeAt() }),
    'POST /account/passkeys': async () => {
      const creation = (await subject.post('/account/passkeys/options')).body.data
      return { name: 'Phone', passkey: openAuthenticator(on.deps.publicUrl).create(creation) }
    },
  }
  if (name === 'POST /account/crm-link') {
    await confirmEmail(on, subject)
    const held = { crm: 'held' as const, held_for: 'people' as const, link_candidates: ['1'] }
    await on.deps.db.updateTable('partners').set(held).where('id', '=', subject.id).execute()
  }
  if (name === 'DELETE /account/totp' || name === 'POST /account/recovery-codes') await addApp(on, subject)
  if (route.path.startsWith('/crm/document')) await confirmEmail(on, subject)
  const ids: Record<string, () => Promise<string>> = {
    'PUT /dashboard/views/:id': async () => keepView(subject),
    'DELETE /dashboard/views/:id': async () => keepView(subject),
    'PUT /crm/document/:id/parts': () => begunDocument(subject, loid),
    'POST /crm/document/:id/complete': async () => {
      const document = await begunDocument(subject, loid)
      await sendPart(on, subject.token, { id: document, number: 0, content: new TextEncoder().encode('hello') })
      return document
    },
    'DELETE /crm/document/:id': () => begunDocument(subject, loid),
    'DELETE /account/passkeys/:id': async () => {
      await addPasskey(on, subject)
      return (await subject.get('/account/second-factor')).body.data.passkeys[0].id
    },
    'DELETE /account/sessions/:id': async () => (await subject.get('/account/sessions')).body.data.sessions[0].id,
    'POST /dashboard/attention/:id/done': async () => `no-movement.lead.${lead.id}.1`,
    'POST /dashboard/attention/:id/remind': async () => `no-movement.lead.${lead.id}.1`,
    'POST /dashboard/attention/:id/put-away': async () => `no-movement.lead.${lead.id}.1`,
    'POST /team/invitations/:id/send': async () => (await invite()).id,
    'DELETE /team/invitations/:id': async () => (await invite()).id,
    'DELETE /dashboard/api-keys/:id': async () => {
      await makeKey(subject, ['read'], 'Ending')
      return (await subject.get('/dashboard/api-keys')).body.data.keys[0].id
    },
    'PUT /team/people/:id': async () => (await addColleague(on, subject, 'member')).id,
    'GET /dashboard/sync-runs/:id': async () => {
      await subject.post('/dashboard/sync-leads')
      const run = on.deps.db.selectFrom('sync_runs').select('id').where('partner_id', '=', subject.id)
      return (await run.executeTakeFirstOrThrow()).id
    },
    'POST /crm/note/:id/retry-push': async () => {
      const added = await subject.post(`/crm/note/${loid}`, { content: 'A note long enough.' })
      return added.body.data.note.id
    },
    'POST /crm/request/:id/answer': async () => insertRequest(on.deps.db, loid),
    'POST /dashboard/sync-deal/:id': async () => {
      const lender = openLender(on.crmUrl)
      const Partner = { id: (await subject.get('/profile')).body.data.zoho_id }
      await lender.create('Deals', { Deal_Name: 'Rivera', Stage: 'Approved', Partner })
      await subject.post('/dashboard/sync-deals')
      return (await subject.get('/dashboard/deals?search=Rivera')).body.data.deals[0].loid
    },
  }
  if (route.path.startsWith('/dashboard/webhook-logs/')) {
    ids[name] = async () => {
      const log = { id: newId(), partner_id: subject.id, direction: 'outbound', status: 'failed' } as const
      const row = { ...log, endpoint: 'https://partner.example/hook', request_body: '{}', created_at: lead.created_at }
      await on.deps.db.insertInto('webhook_logs').values(row).execute()
      return log.id
    }
  }
  if (route.path.startsWith('/dashboard/leads/imports/')) {
    ids[name] = async () => {
      const { id } = (await subject.post('/dashboard/leads/imports', LEADS_FILE)).body.data
      if (name.endsWith('/undo')) {
        const chosen = { consentVersion: '2026-11', withDuplicates: false, rows: 1 }
        await subject.post(`/dashboard/leads/imports/${id}/submit`, chosen)
        await waitFor('the end of the import', async () => {
          return (await subject.get(`/dashboard/leads/imports/${id}`)).body.data.state === 'done'
        })
      }
      return id
    }
  }
  const id = (await ids[name]?.()) ?? (/\/(deals?|payments)\//.test(route.path) ? deal.loid : loid)
  const path = `${route.path.replace(/:\w+/, id)}${validQuery(route)}`
  const body = (await bodies[name]?.()) ?? validBody(route)
  const token = route.auth === 'api-key' ? api_key : subject.token
  if (route.bytesMax !== undefined) {
    const isImport = route.path === '/dashboard/leads/imports'
    return { path, token, body: isImport ? LEADS_FILE : Buffer.from('hello') }
  }
  return { path, token, ...(body && { body }) }
}

/** Begins an upload and returns the document's id. */
async function begunDocument(subject: TestPartner, loid: string): Promise<string> {
  const body = { name: 'hello.txt', size: 5, sha256: HELLO_SHA256 }
  return (await subject.post(`/crm/documents/${loid}`, body)).body.data.document.id
}

async function keepView(subject: TestPartner): Promise<string> {
  const view = { list: 'leads', name: 'Contacted', query: 'status=Contacted' }
  return (await subject.post('/dashboard/views', view)).body.data.id
}

/** True for routes about the partner's people and invitations. */
function isOfTeam({ path }: Route): boolean {
  return path.startsWith('/team/') || path.includes('invitation')
}

const NOBODY_YET = { email: 'repeat@example.com', businessName: 'Repeat' }
