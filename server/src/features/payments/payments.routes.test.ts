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

test('payments come by month with sums by status, as a CSV file, and a question about one never has an amount', async () => {
  const bob = await portal.newPartner()
  const Partner = { id: await waitFor('bob in the CRM', async () => (await bob.get('/profile')).body.data.zoho_id) }
  const today = new Date().toLocaleDateString('en-CA', { timeZone: portal.deps.config.timezone })
  const deal = (
    Deal_Name: string,
    Partner_Commission: number | null,
    status: string,
    paid: string | null,
    note = '',
  ) => ({
    Deal_Name,
    Stage: 'Funded',
    Partner,
    Partner_Commission,
    Commission_Status: status,
    Commission_Paid_On: paid,
    Commission_Note: note,
  })
  await lender.createMany('Deals', [
    deal('Van', 1000.1, 'Paid', today),
    deal('Oven', 0.2, 'Paid', '2026-03-31'),
    deal('Boat', -120.05, 'Paid', '2026-03-02', '=repaid early'),
    deal('Dentist', 75.5, 'Payable', null),
    deal('Cafe', null, 'Expected', null),
    deal('Lost', 40, 'Cancelled', null),
    { Deal_Name: 'No commission', Stage: 'Funded', Partner },
  ])
  await sweep()
  const { body } = await bob.get('/payments?limit=5')
  expect(body.pagination).toEqual({ page: 1, limit: 5, total: 6, has_more: true })
  expect(
    body.data.payments.map(({ deal_name, state }: { deal_name: string; state: string }) => [deal_name, state]),
  ).toEqual(
    expect.arrayContaining([
      ['Cafe', 'coming'],
      ['Dentist', 'coming'],
      ['Lost', 'cancelled'],
      ['Van', 'paid'],
    ]),
  )
  expect(body.data.months).toEqual([
    { month: null, count: 3, sum: 115.5 },
    { month: today.slice(0, 7), count: 1, sum: 1000.1 },
    { month: '2026-03', count: 2, sum: -119.85 },
  ])
  const sums = {
    by_status: [
      { status: 'Expected', count: 1, sum: 0 },
      { status: 'Payable', count: 1, sum: 75.5 },
      { status: 'Paid', count: 3, sum: 880.25 },
      { status: 'Cancelled', count: 1, sum: 40 },
    ],
    paid_this_month: 1000.1,
    coming: 75.5,
  }
  expect(body.data.sums).toEqual(sums)
  expect((await bob.get('/payments/sums')).body.data).toEqual(sums)

  const file = await fetch(`${portal.url}/api/payments/export`, { headers: { authorization: `Bearer ${bob.token}` } })
  const lines = (await file.text()).split('\r\n')
  expect(lines[0]).toBe('Deal Name,Business,LOID,Commission,Status,Paid On,Note')
  expect(lines.find((line) => line.startsWith('Boat'))).toMatch(/^Boat,,LO-\w+,-120.05,Paid,2026-03-02,'=repaid early$/)

  const boat = (await bob.get('/payments')).body.data.payments.find(
    (one: { deal_name: string }) => one.deal_name === 'Boat',
  )
  const asked = await bob.post(`/payments/${boat.loid}/ask`)
  expect([asked.status, asked.body.data.note.content]).toEqual([
    201,
    `Question about our payment for Boat (${boat.loid}): March 2026, Paid. Could you tell us where it stands?`,
  ])
  const { entries } = (await bob.get('/security-log?type=account')).body.data
  expect(entries[0].event).toBe('payments-exported')
})
