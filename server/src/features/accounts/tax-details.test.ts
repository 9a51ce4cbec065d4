import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { noteFieldGroups } from '../../crm/pull/fields/optional-values.ts'
import { watchCrm } from '../../crm/pull/notified/watch-crm.job.ts'
import { type Lender, openLender } from '../../testing/lender.ts'
import { confirmEmail, startPortal, type TestPartner, type TestPortal } from '../../testing/start-portal.ts'
import { waitFor } from '../../testing/wait-for.ts'

const ABN = '51824753556'

let portal: TestPortal
let lender: Lender
beforeAll(async () => {
  portal = await startPortal({ withCrm: true })
  lender = openLender(portal.crmUrl)
  await watchCrm.run(portal.deps, {}, new AbortController().signal)
})
afterEach(() => lender.faults({}))
afterAll(() => portal[Symbol.asyncDispose]())

const taxOf = async (partner: TestPartner) => (await partner.get('/profile')).body.data.tax
/** Until the portal has noted the end of its push, a notification of the record says nothing new to it; a sweep does. */
const endOfPush = ({ id }: TestPartner) =>
  waitFor('the end of the push', async () => {
    const { crm } = await portal.deps.db
      .selectFrom('partners')
      .select('crm')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    return crm === 'synced'
  })
const inCrm = (partner: TestPartner): Promise<string> =>
  waitFor('the partner in the CRM', async () => (await partner.get('/profile')).body.data.zoho_id)

test('ABN and GST registration are the CRM’s where it has the fields: what an owner enters is there, and what staff change is here', async () => {
  const ada = await portal.newPartner()
  const record = await inCrm(ada)
  expect(await taxOf(ada)).toBeNull()
  expect((await ada.put('/profile', { abn: ABN })).body.data.tax).toBeNull()

  await portal.deps.crm.makeMissingFields(['tax'])
  await noteFieldGroups(portal.deps)
  expect(await taxOf(ada)).toEqual({ abn: null, gst_registered: null })
  const entered = await ada.put('/profile', { abn: '51 824 753 556', gst_registered: 'Yes' })
  expect(entered.body.data.tax).toEqual({ abn: ABN, gst_registered: 'Yes' })
  await waitFor('the details in the CRM', async () => {
    const there = await lender.read('Partners', record)
    return there?.['ABN'] === ABN && there['GST_Registered'] === 'Yes'
  })
  await endOfPush(ada)

  await lender.update('Partners', record, { ABN: '53004085616', GST_Registered: 'No' })
  await waitFor('the change of staff', async () => (await taxOf(ada)).abn === '53004085616')
  expect(await taxOf(ada)).toEqual({ abn: '53004085616', gst_registered: 'No' })

  // A cleared field is cleared there too, and a change of something else writes nothing over the lender's value.
  await ada.put('/profile', { gst_registered: null })
  await waitFor('the empty field', async () => (await lender.read('Partners', record))?.['GST_Registered'] === null)
  await endOfPush(ada)
  await lender.update('Partners', record, { GST_Registered: 'Yes' })
  await ada.put('/profile', { business_name: 'Ada Renamed Pty Ltd' })
  await waitFor('the name', async () => (await lender.read('Partners', record))?.['Name'] === 'Ada Renamed Pty Ltd')
  expect(await lender.read('Partners', record)).toMatchObject({ ABN: '53004085616', GST_Registered: 'Yes' })

  // As after a merge that the portal follows, the push of the record waits, but has no tax detail to write.
  await waitFor('the change of staff', async () => (await taxOf(ada)).gst_registered === 'Yes')
  await endOfPush(ada)
  await portal.deps.db.updateTable('partners').set({ crm: 'pending' }).where('id', '=', ada.id).execute()
  await lender.update('Partners', record, { ABN: null })
  await waitFor('the empty ABN', async () => (await taxOf(ada)).abn === null)
})

test('what staff change while a push of something else is on its way is not written over by a later push', async () => {
  const cem = await portal.newPartner()
  const record = await inCrm(cem)
  const named = (name: string) =>
    waitFor(`the name ${name}`, async () => (await lender.read('Partners', record))?.['Name'] === name)
  await cem.put('/profile', { gst_registered: 'No' })
  await waitFor('the field', async () => (await lender.read('Partners', record))?.['GST_Registered'] === 'No')
  await endOfPush(cem)

  // The push has read the partner before the portal reads the change of staff, and ends after that.
  await lender.faults({ slowMs: 400 })
  await lender.update('Partners', record, { GST_Registered: 'Yes' })
  await cem.put('/profile', { business_name: 'Cem One Pty Ltd' })
  await waitFor('the change of staff', async () => (await taxOf(cem)).gst_registered === 'Yes')
  await named('Cem One Pty Ltd')

  await lender.faults({ notifications: { drop: 100 } })
  await lender.update('Partners', record, { GST_Registered: 'No' })
  await cem.put('/profile', { business_name: 'Cem Two Pty Ltd' })
  await named('Cem Two Pty Ltd')
  expect(await lender.read('Partners', record)).toMatchObject({ GST_Registered: 'No' })
})

test('only an owner changes the tax details, and other words than Yes and No are refused', async () => {
  const owner = await portal.newPartner()
  await inCrm(owner)
  const refused = await owner.put('/profile', { gst_registered: 'perhaps' })
  expect([refused.status, refused.body.fields]).toEqual([
    400,
    { gst_registered: 'gst_registered must be one of: Yes, No' },
  ])
  const { db } = portal.deps
  await db.updateTable('people').set({ role: 'member' }).where('partner_id', '=', owner.id).execute()
  expect((await owner.put('/profile', { abn: ABN })).status).toBe(403)
  expect((await owner.put('/profile', { abn: null, first_name: 'Mel' })).status).toBe(200)
})

test('a record that the lender had keeps its ABN, and gets what it lacks', async () => {
  const email = 'linked@example.com'
  const record = await lender.create('Partners', { Name: 'Linked', Email: email, ABN: '53004085616' })
  const bea = await portal.newPartner({ email })
  await bea.put('/profile', { abn: ABN, gst_registered: 'Yes' })
  await confirmEmail(portal, bea)
  expect(await inCrm(bea)).toBe(record)
  await waitFor('the lender’s ABN', async () => (await taxOf(bea)).abn === '53004085616')
  expect(await lender.read('Partners', record)).toMatchObject({ ABN: '53004085616', GST_Registered: 'Yes' })
})
