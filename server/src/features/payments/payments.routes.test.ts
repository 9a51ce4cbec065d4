import { afterAll, beforeAll, expect, test } from 'vitest'
import { noteFieldGroups } from '../../crm/pull/fields/optional-values.ts'
import { runSweep } from '../../crm/pull/sweep/sweep.job.ts'
import { type Lender, openLender } from '../../testing/lender.ts'
import { addColleague, startPortal, type TestPartner, type TestPortal } from '../../testing/start-portal.ts'
import { waitFor } from '../../testing/wait-for.ts'

let portal: TestPortal
let lender: Lender
let ada: TestPartner
let adaInCrm: string
beforeAll(async () => {
  portal = await startPortal({ withCrm: true })
  lender = openLender(portal.crmUrl)
  ada = await portal.newPartner()
  adaInCrm = await waitFor('the partner in the CRM', async () => (await ada.get('/profile')).body.data.zoho_id)
})
afterAll(() => portal[Symbol.asyncDispose]())

const sweep = () => runSweep(portal.deps, AbortSignal.timeout(30_000))

/** A deal in the CRM and, after the next sweep, in the portal. */
async function makeDeal(Deal_Name: string, fields: object = {}) {
  const id = await lender.create('Deals', { Deal_Name, Stage: 'Funded', Partner: { id: adaInCrm }, ...fields })
  await sweep()
  const row = await portal.deps.db
    .selectFrom('deals')
    .select('loid')
    .where('zoho_id', '=', id)
    .executeTakeFirstOrThrow()
  return { id, loid: row.loid }
}

const paymentOf = async (who: Pick<TestPartner, 'get'>, loid: string) => {
  const { status, body } = await who.get(`/crm/deal/${loid}/payment`)
  return status === 200 ? body.data.payment : [status, body.code]
}

test('without the fields nobody sees payments; with them, owners do', async () => {
  const { id, loid } = await makeDeal('Van')
  expect(await paymentOf(ada, loid)).toEqual([403, 'NOT_ALLOWED'])
  expect((await portal.post('/auth/verify', { token: ada.token })).body.data.seesPayments).toBe(false)

  await portal.deps.crm.makeMissingFields(['payments'])
  await noteFieldGroups(portal.deps)
  await waitFor('the right', async () => (await paymentOf(ada, loid)) === null)
  expect((await portal.post('/auth/verify', { token: ada.token })).body.data.seesPayments).toBe(true)

  const before = await portal.deps.db.selectFrom('events').select('id').execute()
  await lender.update('Deals', id, { Partner_Commission: -1234.56, Commission_Status: 'Payable' })
  await sweep()
  const payment = {
    loid,
    deal_name: 'Van',
    business_name: null,
    amount: -1234.56,
    status: 'Payable',
    state: 'coming',
    paid_on: null,
    note: null,
  }
  expect(await paymentOf(ada, loid)).toEqual(payment)
  // A change of nothing but the commission is nobody else's business.
  expect(await portal.deps.db.selectFrom('events').select('id').execute()).toEqual(before)

  await lender.update('Deals', id, { Commission_Paid_On: '2026-01-30', Commission_Note: 'Repaid early' })
  await sweep()
  expect(await paymentOf(ada, loid)).toEqual({
    ...payment,
    state: 'paid',
    paid_on: '2026-01-30',
    note: 'Repaid early',
  })
  expect((await ada.get(`/crm/deal/${loid}`)).body.data.deal).not.toHaveProperty('partner_commission')
})

test('owners give the right to others; it applies from the next call, falls with the owner role, and is logged', async () => {
  const { loid } = await makeDeal('Boat', { Partner_Commission: 10 })
  const member = await addColleague(portal, ada, 'member')
  const viewer = await addColleague(portal, ada, 'viewer')
  const give = async (person: { id: string }, change: object) => ada.put(`/team/people/${person.id}`, change)
  expect([await paymentOf(member, loid), await paymentOf(viewer, loid)]).toEqual(Array(2).fill([403, 'NOT_ALLOWED']))

  expect((await give(viewer, { sees_money: true })).body.data).toMatchObject({ role: 'viewer', sees_money: true })
  expect(await paymentOf(viewer, loid)).toMatchObject({ amount: 10 })
  expect((await give(viewer, { role: 'member' })).body.data.sees_money).toBe(true)
  expect((await give(viewer, { sees_money: false })).body.data.sees_money).toBe(false)
  expect(await paymentOf(viewer, loid)).toEqual([403, 'NOT_ALLOWED'])

  await give(member, { role: 'owner' })
  expect(await paymentOf(member, loid)).toMatchObject({ amount: 10 })
  expect((await give(member, { sees_money: false })).status).toBe(409)
  expect((await give(member, { role: 'viewer' })).body.data.sees_money).toBe(false)
  expect(await paymentOf(member, loid)).toEqual([403, 'NOT_ALLOWED'])

  const { entries } = (await ada.get('/security-log?type=team')).body.data
  expect(
    entries.map(({ event }: { event: string }) => event).filter((event: string) => event.startsWith('payments-')),
  ).toEqual(['payments-hidden', 'payments-shown', 'payments-hidden', 'payments-shown'])
})
