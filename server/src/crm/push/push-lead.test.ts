import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { newId } from '../../platform/db/ids.ts'
import { CrmUnavailable } from '../../platform/errors.ts'
import { NOT_TAKEN } from '../../records/kinds/not-taken.queries.ts'
import { findProblemsOfAllPartners } from '../../records/partners/partners-in-crm.queries.ts'
import { type Lender, openLender } from '../../testing/lender.ts'
import { newLead, startPortal, type TestPortal } from '../../testing/start-portal.ts'
import { waitFor } from '../../testing/wait-for.ts'
import { pullForAll } from '../pull/pull-for-all.ts'
import { pullRecords } from '../pull/pull-records.ts'
import { PULL_QUEUE } from '../queues.ts'
import { pushDeal } from './push-deal.job.ts'
import { pushLead } from './push-lead.job.ts'
import { pushPartnerNow } from './push-partner.job.ts'

let portal: TestPortal
let lender: Lender
beforeAll(async () => {
  portal = await startPortal({ withCrm: true })
  lender = openLender(portal.crmUrl)
})
afterAll(() => portal[Symbol.asyncDispose]())
beforeEach(() => lender.reset())

test('leads reach the CRM even if the CRM refuses the partner’s email, and operators see this problem until the account is closed', async () => {
  const partner = await portal.newPartner({ email: 'ada@exa_mple.com' })
  const { loid } = await partner.submitLead()
  await partner.pushedLead(loid)
  expect(await lender.list('Partners', 'Name,Email')).toMatchObject([{ Name: partner.businessName, Email: null }])
  expect(await lender.list('Leads', 'LOID')).toMatchObject([{ LOID: loid }])
  expect(await findProblemsOfAllPartners(portal.deps.db)).toMatchObject([{ business_name: partner.businessName }])
  const token = /disown\?token=([\w-]+)/.exec(await portal.mailTo(partner.email, '/disown?token='))?.[1]
  expect((await portal.post('/auth/disown', { token })).status).toBe(200)
  expect(await findProblemsOfAllPartners(portal.deps.db)).toEqual([])
})

test('after an outage, the first push also pushes the partner’s other leads, in one call', async () => {
  const partner = await partnerInCrm()
  const loids = await Promise.all(Array.from({ length: 12 }, () => insertWaiting('Leads', partner.id)))
  const before = (await lender.calls()).by_kind['POST /crm/v8/Leads'] ?? 0

  const payload = { partnerId: partner.id, loid: loids[0] ?? '' }
  await pushLead.run(portal.deps, payload, AbortSignal.timeout(10_000))
  const listed = (await partner.get('/dashboard/leads?limit=100')).body.data.leads
  expect(new Set(listed.map((lead: { crm: string }) => lead.crm))).toEqual(new Set(['synced']))
  expect(await lender.list('Leads', 'LOID')).toHaveLength(12)
  expect((await lender.calls()).by_kind['POST /crm/v8/Leads']).toBe(before + 2)
})

const inCrm = async (module: string, loid: string) =>
  (await lender.list(module, 'LOID')).find((record) => record['LOID'] === loid)

test.each([
  // The push cuts these names to the lengths of the CRM's fields.
  ['Leads', 'lead', pushLead, '/dashboard/leads', newLead({ firstName: `${'D'.repeat(39)} eleted` })],
  [
    'Deals',
    'deal',
    pushDeal,
    '/webhook/deal',
    { businessName: 'Deleted'.repeat(20), email: 'ada@okafor.example', amount: 50_000 },
  ],
] as const)(
  '%s: a record is not created again if staff delete it after the answer to its push was lost',
  async (module, kind, push, path, form) => {
    const partner = await portal.newPartner()
    await partner.pushedLead((await partner.submitLead()).loid)
    const lost = { resetAfterCommit: { times: 1, match: `POST /crm/v8/${module}` } }
    // The search for the record right after the push also fails.
    await lender.faults({ ...lost, scopeMismatch: { every: 2, times: 1, match: '/coql' } })
    const { loid } = (await partner.post(path, form)).body.data
    const made = await waitFor(`${loid} in the CRM`, () => inCrm(module, loid))
    const zohoId = String(made['id'])
    await lender.remove(module, zohoId)
    await push.run(portal.deps, { partnerId: partner.id, loid }, AbortSignal.timeout(10_000))
    expect(await inCrm(module, loid)).toBeUndefined()
    await waitFor(
      `the removal of ${loid} from the portal`,
      async () => (await partner.get(`/crm/${kind}/${loid}`)).status === 404,
    )

    await lender.restore(zohoId)
    expect((await partner.post('/crm/sync')).status).toBe(200)
    expect((await partner.get(`/crm/${kind}/${loid}`)).status).toBe(200)
  },
)

/** Creates a partner and its record in the CRM. Pushes no lead, because a lead's push could also push other leads. */
async function partnerInCrm() {
  const partner = await portal.newPartner()
  await pushPartnerNow(portal.deps, partner.id, {})
  return partner
}

/** Inserts a record without its push job, because the test runs the push itself. */
async function insertWaiting(
  module: 'Leads' | 'Deals',
  partnerId: string,
  email: string | null = null,
): Promise<string> {
  const loid = `LO-WAKT${String(++waiting).padStart(4, '0')}`
  const at = new Date().toISOString()
  const own = { id: newId(), partner_id: partnerId, loid, crm: 'pending' as const }
  const row = { ...own, email, created_at: at, modified_time: at }
  const { db } = portal.deps
  if (module === 'Leads') {
    const lead = { ...row, last_name: `Waiting ${waiting}`, lead_status: 'New Lead', owns_property: false }
    await db.insertInto('leads').values(lead).execute()
  } else {
    const deal = { ...row, deal_name: `Waiting ${waiting}`, stage: 'Waiting On Application' }
    await db.insertInto('deals').values(deal).execute()
  }
  return loid
}
let waiting = 100

/** Calls `happens` before each of these calls to the CRM. By then, the push has already read the record. */
function before(
  calls: readonly ('pushLead' | 'pushDeal' | 'findSentLeads' | 'findSentDeals')[],
  happens: () => Promise<void>,
): TestPortal['deps'] {
  const { crm } = portal.deps
  const after =
    <Given extends unknown[], Result>(send: (...given: Given) => Promise<Result>) =>
    async (...given: Given) => {
      await happens()
      return send(...given)
    }
  const changed = Object.fromEntries(calls.map((name) => [name, after<never[], unknown>(crm[name])]))
  return { ...portal.deps, crm: { ...crm, ...changed } }
}

const beforeSending = (happens: () => Promise<void>) => before(['pushLead', 'pushDeal'], happens)
const beforeLooking = (happens: () => Promise<void>) => before(['findSentLeads', 'findSentDeals'], happens)

test.each([
  ['Leads', pushLead],
  ['Deals', pushDeal],
] as const)('%s: a hanging push does not recreate a record that staff have since deleted', async (module, push) => {
  const partner = await partnerInCrm()
  const payload = { partnerId: partner.id, loid: await insertWaiting(module, partner.id) }
  const hanging = Promise.withResolvers<void>()
  const goesOn = Promise.withResolvers<void>()
  const late = beforeSending(() => {
    hanging.resolve()
    return goesOn.promise
  })
  const first = push.run(late, payload, AbortSignal.timeout(10_000))
  await hanging.promise
  // While the first push hangs, no other push gets the lease for this record: neither the push of another record nor a
  // second push of this record, such as one that the sync button starts. If one of these pushes did create the record,
  // the first push must not create it again.
  const other = await insertWaiting(module, partner.id)
  await push.run(portal.deps, { ...payload, loid: other }, AbortSignal.timeout(10_000))
  await push.run(portal.deps, payload, AbortSignal.timeout(300)).catch(() => undefined)
  const zohoId = (await inCrm(module, payload.loid))?.['id']
  if (zohoId !== undefined) await lender.remove(module, String(zohoId))
  goesOn.resolve()
  await first
  if (zohoId !== undefined) await lender.restore(String(zohoId))
  const loids = (await lender.list(module, 'LOID')).map((record) => record['LOID'])
  expect(loids.filter((loid) => loid === payload.loid || loid === other).sort()).toEqual([payload.loid, other].sort())
})

test.each([
  ['Leads', pushLead],
  ['Deals', pushDeal],
] as const)('%s: a record is not created again if staff delete it while its push is repeated', async (module, push) => {
  const { payload, zohoId } = await pushWithoutAnswer(module, push)
  await push.run(
    beforeSending(() => lender.remove(module, zohoId)),
    payload,
    AbortSignal.timeout(10_000),
  )
  expect((await idsOf(module, payload.loid)).filter((id) => id !== zohoId)).toEqual([])
})

test.each([
  ['Leads', 'lead', pushLead],
  ['Deals', 'deal', pushDeal],
] as const)(
  '%s: a record is not created again if a pull links it and staff delete it while its push is repeated',
  async (module, kind, push) => {
    const { partner, payload, zohoId } = await pushWithoutAnswer(module, push)
    const { db, jobs } = portal.deps
    await push.run(
      beforeLooking(async () => {
        await jobs.enqueue(db, PULL_QUEUE, { module, zohoIds: [zohoId] })
        await waitFor('the pull', async () => {
          const { body } = await partner.get(`/crm/${kind}/${payload.loid}`)
          return body.data[kind].crm === 'synced'
        })
        await lender.remove(module, zohoId)
      }),
      payload,
      AbortSignal.timeout(10_000),
    )
    expect(await idsOf(module, payload.loid)).toEqual([])
  },
)

/** Pushes a record. The CRM stores the record, but its answer is lost, and the search that follows also fails. */
async function pushWithoutAnswer(module: 'Leads' | 'Deals', push: typeof pushLead) {
  const partner = await partnerInCrm()
  const lost = { resetAfterCommit: { times: 1, match: `POST /crm/v8/${module}` } }
  await lender.faults({ ...lost, scopeMismatch: { every: 2, times: 1, match: '/coql' } })
  const payload = { partnerId: partner.id, loid: await insertWaiting(module, partner.id) }
  await expect(push.run(portal.deps, payload, AbortSignal.timeout(10_000))).rejects.toThrow(CrmUnavailable)
  return { partner, payload, zohoId: String((await inCrm(module, payload.loid))?.['id']) }
}

test.each([
  ['Leads', 'lead', pushLead],
  ['Deals', 'deal', pushDeal],
] as const)(
  '%s: if staff give a record to another partner before its push is repeated, the record stays with that partner',
  async (module, kind, push) => {
    const other = await partnerInCrm()
    const otherInCrm = (await other.get('/profile')).body.data.zoho_id
    const { partner, payload, zohoId } = await pushWithoutAnswer(module, push)
    await lender.update(module, zohoId, { Partner: { id: otherInCrm } })
    await pullRecords(pullForAll(portal.deps, `${kind}s`, AbortSignal.timeout(10_000)), module, [zohoId])
    await push.run(portal.deps, payload, AbortSignal.timeout(10_000))
    await waitFor(
      'the record at its new partner',
      async () => (await other.get(`/crm/${kind}/${payload.loid}`)).status === 200,
    )
    expect((await partner.get(`/crm/${kind}/${payload.loid}`)).status).toBe(404)
  },
)

const idsOf = async (module: string, loid: string) =>
  (await lender.list(module, 'LOID')).filter((record) => record['LOID'] === loid).map(({ id }) => id)

test.each([
  ['Leads', pushLead],
  ['Deals', pushDeal],
] as const)(
  '%s: after a push that sent nothing, the deletion of another record is not mistaken for the deletion of this record',
  async (module, push) => {
    const partner = await partnerInCrm()
    const payload = { partnerId: partner.id, loid: await insertWaiting(module, partner.id) }
    await lender.faults({ scopeMismatch: { every: 1, times: 1, match: '/coql' } })
    await expect(push.run(portal.deps, payload, AbortSignal.timeout(10_000))).rejects.toThrow(CrmUnavailable)
    await createAndRemove(module, `Waiting ${waiting}`)
    await push.run(portal.deps, payload, AbortSignal.timeout(10_000))
    expect(await inCrm(module, payload.loid)).toBeDefined()
  },
)

test.each([
  ['Leads', pushLead],
  ['Deals', pushDeal],
] as const)(
  '%s: after the CRM refused a record among many, the deletion of another record is not mistaken for the deletion of this record',
  async (module, push) => {
    const partner = await partnerInCrm()
    const accepted = { partnerId: partner.id, loid: await insertWaiting(module, partner.id) }
    // The CRM refuses this email. A push of the record alone moves the email to the description.
    const refused = { partnerId: partner.id, loid: await insertWaiting(module, partner.id, 'ada@exa_mple.com') }
    await push.run(portal.deps, accepted, AbortSignal.timeout(10_000))
    expect(await inCrm(module, refused.loid)).toBeUndefined()
    await createAndRemove(module, `Waiting ${waiting}`)
    await push.run(portal.deps, refused, AbortSignal.timeout(10_000))
    expect(await inCrm(module, refused.loid)).toBeDefined()
  },
)

/** Creates a record with this name and deletes it, as staff do. */
async function createAndRemove(module: 'Leads' | 'Deals', name: string): Promise<void> {
  const record = module === 'Leads' ? { Last_Name: name } : { Deal_Name: name, Stage: 'Approved' }
  await lender.remove(module, await lender.create(module, record))
}

test.each([
  ['a retired version', () => lender.faults({ failEvery: { n: 1, status: 410, match: 'POST /crm/v8/Leads' } })],
  [
    'a field that the portal fills in itself',
    async () => {
      await lender.behaviour({ unknownFields: 'refuse' })
      await lender.removeField('Leads', 'Partner_ISO')
    },
  ],
])('if the CRM refuses a lead for %s, the lead waits, says so, and goes once the cause is gone', async (_, refuse) => {
  const partner = await partnerInCrm()
  await refuse()
  const { loid } = await partner.submitLead()
  const lead = async () => (await partner.get(`/crm/lead/${loid}`)).body.data.lead
  await waitFor('the refusal', async () => (await lead()).crm_problem !== null)
  expect(await lead()).toMatchObject({ crm: 'pending', crm_problem: NOT_TAKEN })
  // What happens after the last retry.
  await pushLead.giveUp?.(portal.deps, { partnerId: partner.id, loid })
  expect(await lead()).toMatchObject({ crm: 'pending', crm_problem: NOT_TAKEN })
  const takesNone = async () => (await portal.post('/auth/verify', { token: partner.token })).body.data.crmTakesNone
  expect(await takesNone()).toBe(false)
  const other = await partnerInCrm()
  await other.submitLead()
  // With two partners it is the lender's CRM, and everybody hears it.
  await waitFor('the refusal of another partner’s lead', takesNone)
  await lender.faults({})
  await lender.behaviour({ unknownFields: 'ignore' })
  expect((await partner.post('/dashboard/sync-leads')).status).toBe(200)
  expect(await lead()).toMatchObject({ crm: 'synced', crm_problem: null })
  expect((await other.post('/dashboard/sync-leads')).status).toBe(200)
  expect(await takesNone()).toBe(false)
})

test('of many records that the CRM refuses for one cause, one is tried for all, and once it goes, all go', async () => {
  const partners = [await partnerInCrm(), await partnerInCrm()]
  await lender.faults({ failEvery: { n: 1, status: 410, match: 'POST /crm/v8/Leads' } })
  const waits = await Promise.all(
    partners.flatMap((partner) =>
      Array.from({ length: 4 }, async () => ({ partner, loid: (await partner.submitLead()).loid })),
    ),
  )
  const states = () =>
    Promise.all(
      waits.map(async ({ partner, loid }) => {
        const { lead } = (await partner.get(`/crm/lead/${loid}`)).body.data
        return String(lead.crm_problem ?? lead.crm)
      }),
    )
  await waitFor('all refusals', async () => (await states()).every((state) => state === NOT_TAKEN))
  // The jobs' own tries would come in between.
  await portal.deps.pool.query(`update jobs.job set start_after = now() + interval '1 hour' where state = 'retry'`)
  const sent = async () => (await lender.calls()).by_kind['POST /crm/v8/Leads'] ?? 0
  const tryAll = async () => {
    const before = await sent()
    for (const { partner, loid } of waits) {
      await pushLead
        .run(portal.deps, { partnerId: partner.id, loid }, AbortSignal.timeout(10_000), newId())
        .catch(() => undefined)
    }
    return (await sent()) - before
  }
  expect(await tryAll()).toBeLessThanOrEqual(1)
  portal.advance(20 * 60_000)
  expect(await tryAll()).toBe(1)
  await lender.faults({})
  const [first] = waits
  portal.advance(20 * 60_000)
  const payload = { partnerId: first?.partner.id ?? '', loid: first?.loid ?? '' }
  await pushLead.run(portal.deps, payload, AbortSignal.timeout(10_000), newId())
  await waitFor('all leads in the CRM', async () => (await states()).every((state) => state === 'synced'))
})

test('Retry sends a lead that the CRM refused, even if staff have since deleted another lead with the same name', async () => {
  const partner = await portal.newPartner()
  await lender.behaviour({ unknownFields: 'refuse' })
  await lender.removeField('Leads', 'Loan_Type')
  const { loid } = await partner.submitLead({ firstName: 'Nkem', lastName: 'Refused' })
  const stateOf = async () => (await partner.get(`/crm/lead/${loid}`)).body.data?.lead.crm
  await waitFor('the refusal', async () => (await stateOf()) === 'failed')
  await lender.behaviour({ unknownFields: 'ignore' })
  await lender.remove('Leads', await lender.create('Leads', { First_Name: 'Nkem', Last_Name: 'Refused' }))
  await partner.post(`/crm/lead/${loid}/retry-push`)
  await partner.pushedLead(loid)
  expect(await inCrm('Leads', loid)).toBeDefined()
})

test('a lead whose push never arrived is sent, even if staff have since deleted another lead with the same name', async () => {
  const partner = await portal.newPartner()
  const first = await partner.submitLead()
  await partner.pushedLead(first.loid)
  await lender.faults({ resetBefore: { times: 1, match: 'POST /crm/v8/Leads' } })
  const { loid } = await partner.submitLead()
  await waitFor('the first try', async () => {
    const faults = await (await fetch(`${portal.crmUrl}/sandbox/faults`)).text()
    return faults.includes('"times":0')
  })
  await lender.remove('Leads', String((await inCrm('Leads', first.loid))?.['id']))
  await pushLead.run(portal.deps, { partnerId: partner.id, loid }, AbortSignal.timeout(10_000))
  expect(await inCrm('Leads', loid)).toBeDefined()
})
