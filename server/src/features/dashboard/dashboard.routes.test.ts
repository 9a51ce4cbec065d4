import { DEAL_STAGES } from '@portal/contract/choices.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { putCountsTogether } from '../../records/kinds/put-counts-together.job.ts'
import { insertDeal } from '../../testing/insert-deal.ts'
import { insertNewerLeads } from '../../testing/insert-many.ts'
import { openLender } from '../../testing/lender.ts'
import { startPortal, type TestPortal } from '../../testing/start-portal.ts'
import { waitFor } from '../../testing/wait-for.ts'

let portal: TestPortal
beforeAll(async () => {
  portal = await startPortal()
})
afterAll(() => portal[Symbol.asyncDispose]())

const NOTHING_YET = {
  total_leads: 0,
  active_leads: 0,
  total_deals: 0,
  won_deals: 0,
  total_deal_value: 0,
  avg_deal_size: 0,
  conversion_rate: 0,
}

test('a new partner has figures of 0, no pipeline and no activities', async () => {
  const partner = await portal.newPartner()
  expect((await partner.get('/dashboard/stats')).body).toEqual({ success: true, data: NOTHING_YET })
  expect((await partner.get('/dashboard/pipeline')).body).toEqual({ success: true, data: { pipeline: [] } })
  expect((await partner.get('/dashboard/recent-activity')).body).toEqual({ success: true, data: { activities: [] } })
})

test('GET /dashboard/stats counts converted leads, but not leads that left the CRM', async () => {
  const [partner, other] = [await portal.newPartner(), await portal.newPartner()]
  const at = new Date().toISOString()
  const leads = [
    { lead_status: 'New Lead' },
    { lead_status: 'Renamed by the lender' },
    { lead_status: 'not qualified' },
    { lead_status: 'Duplicate' },
    { lead_status: 'Contacted', converted_at: at, deal_loid: 'LO-11111111' },
    { lead_status: 'Contacted', archived_at: at, archived_reason: 'left-crm' as const },
  ]
  for (const lead of leads) {
    const { loid } = await partner.submitLead()
    await portal.deps.db.updateTable('leads').set(lead).where('loid', '=', loid).execute()
  }
  const deals = [
    { stage: 'Funded', amount: 100_000 },
    { stage: 'Closed', amount: 50_000.5 },
    { stage: 'Approved', amount: 50_000 },
    { stage: 'Approved', amount: null },
    // It has a word of a deal that is won, but says itself that it is lost (D135).
    { stage: 'Closed Lost', amount: null },
    { stage: 'Funded', amount: 9, archived_at: at, archived_reason: 'left-crm' as const },
  ]
  for (const deal of deals) await insertDeal(portal.deps.db, partner.id, deal)
  expect((await partner.get('/dashboard/stats')).body.data).toEqual({
    total_leads: 5,
    active_leads: 2,
    total_deals: 5,
    won_deals: 2,
    total_deal_value: 200_000.5,
    avg_deal_size: 66_666.83,
    conversion_rate: 0.2,
  })
  expect((await other.get('/dashboard/stats')).body.data).toEqual(NOTHING_YET)
})

test('the figures stay correct after many simultaneous changes, and when a lead moves to another partner or leaves the portal', async () => {
  const [partner, other] = [await portal.newPartner(), await portal.newPartner()]
  const { db } = portal.deps
  const leads = await Promise.all(Array.from({ length: 100 }, () => partner.submitLead()))
  const deals = await Promise.all(
    leads.map(({ loid }) => insertDeal(db, partner.id, { loid, stage: 'New', amount: 1 })),
  )
  const change = async ({ loid }: { loid: string }, i: number) => {
    await db
      .updateTable('leads')
      .set({ lead_status: i % 2 ? 'Lost Lead' : 'Contacted' })
      .where('loid', '=', loid)
      .execute()
    await db.updateTable('deals').set({ stage: 'Funded', amount: 2.5 }).where('loid', '=', loid).execute()
  }
  await Promise.all(leads.map(change))
  const [moved, removed] = leads.slice(0, 2).map(({ loid }) => loid)
  await db.updateTable('leads').set({ partner_id: other.id }).where('loid', '=', String(moved)).execute()
  await db.deleteFrom('leads').where('loid', '=', String(removed)).execute()
  await db.deleteFrom('deals').where('loid', '=', String(deals[0]?.loid)).execute()

  expect((await partner.get('/dashboard/stats')).body.data).toEqual({
    total_leads: 98,
    active_leads: 49,
    total_deals: 99,
    won_deals: 99,
    total_deal_value: 247.5,
    avg_deal_size: 2.5,
    conversion_rate: 0,
  })
  expect((await partner.get('/dashboard/pipeline')).body.data.pipeline).toEqual([
    { stage: 'Funded', count: 99, value: 247.5, percentage: 100 },
  ])
  expect((await other.get('/dashboard/stats')).body.data).toMatchObject({ total_leads: 1, active_leads: 1 })
  // About 400 changes added about 600 rows. The trigger has merged most of them.
  const { rows } = await portal.deps.pool.query('select from record_counts where partner_id = $1', [partner.id])
  expect(rows.length).toBeLessThan(200)
})

test('a change of many records at once leaves many rows, which a job puts together', async () => {
  const { pool } = portal.deps
  const partner = await portal.newPartner()
  await insertNewerLeads(portal.deps, partner.id, 100)
  await pool.query(`update leads set lead_status = 'Contacted' where partner_id = $1`, [partner.id])
  const rows = async () =>
    (await pool.query('select from record_counts where partner_id = $1', [partner.id])).rows.length
  expect(await rows()).toBeGreaterThan(50)
  await putCountsTogether.run(portal.deps, {}, new AbortController().signal)
  expect(await rows()).toBe(1)
  expect((await partner.get('/dashboard/stats')).body.data).toMatchObject({ total_leads: 100 })
})

test('a change counts without waiting for another change of the same partner', async () => {
  const { db } = portal.deps
  const partner = await portal.newPartner()
  await insertDeal(db, partner.id)
  await db.transaction().execute(async (tx) => {
    await insertDeal(tx, partner.id)
    await insertDeal(db, partner.id)
    expect((await partner.get('/dashboard/stats')).body.data).toMatchObject({ total_deals: 2 })
  })
  expect((await partner.get('/dashboard/stats')).body.data).toMatchObject({ total_deals: 3 })
})

test('GET /dashboard/pipeline returns stages in the CRM’s order, unknown stages last, each with its percentage of all deals', async () => {
  const partner = await portal.newPartner()
  const deals = [
    { stage: 'Gone from the CRM', amount: 5 },
    { stage: 'Funded', amount: 100_000 },
    { stage: 'Information Received', amount: null },
    { stage: 'Funded', amount: 50_000.5 },
    { stage: 'Pending Approval', amount: 20 },
    { stage: 'Funded', amount: null },
  ]
  for (const deal of deals) await insertDeal(portal.deps.db, partner.id, deal)
  expect((await partner.get('/dashboard/pipeline')).body.data.pipeline).toEqual([
    { stage: 'Information Received', count: 1, value: 0, percentage: 16.7 },
    { stage: 'Pending Approval', count: 1, value: 20, percentage: 16.7 },
    { stage: 'Funded', count: 3, value: 150_000.5, percentage: 50 },
    { stage: 'Gone from the CRM', count: 1, value: 5, percentage: 16.7 },
  ])
})

test('GET /dashboard/recent-activity returns this partner’s newest twenty events, newest first', async () => {
  const [partner, other] = [await portal.newPartner(), await portal.newPartner()]
  const { loid } = await partner.submitLead({ loanAmount: 150_000 })
  await partner.post(`/crm/note/${loid}`, { content: `A long note. ${'x'.repeat(100)}` })
  const { activities } = (await partner.get('/dashboard/recent-activity')).body.data
  expect(activities).toEqual([
    {
      id: expect.any(String),
      title: 'Note added to a lead',
      description: `Okafor Freight · ${partner.businessName}: A long note. ${'x'.repeat(66)}…`,
      quote: null,
      loid,
      about: 'lead',
      created_at: expect.stringMatching(/Z$/),
    },
    {
      id: expect.any(String),
      title: 'Lead submitted',
      description: `Okafor Freight, $150,000 · ${partner.businessName}`,
      quote: null,
      loid,
      about: 'lead',
      created_at: expect.stringMatching(/Z$/),
    },
  ])
  expect((await other.get('/dashboard/recent-activity')).body.data.activities).toEqual([])
  for (let i = 0; i < 20; i++) await partner.submitLead()
  expect((await partner.get('/dashboard/recent-activity')).body.data.activities).toHaveLength(20)
})

test('during an outage the portal asks the CRM for the stages at most once a minute, and only the first call waits for the CRM', async () => {
  await using withCrm = await startPortal({ withCrm: true })
  const lender = openLender(withCrm.crmUrl)
  const partner = await withCrm.newPartner()
  await waitFor('the partner in the CRM', async () => (await partner.get('/profile')).body.data.zoho_id)
  await insertDeal(withCrm.deps.db, partner.id)
  await lender.faults({ outage: 'status' })

  expect((await partner.get('/dashboard/pipeline')).status).toBe(200)
  const asked = withCrm.deps.crm.callsUsed()
  expect((await partner.get('/crm/stages')).body.data.stages).toEqual(DEAL_STAGES)
  expect(withCrm.deps.crm.callsUsed()).toBe(asked)

  await lender.faults({})
  withCrm.advance(61_000)
  expect((await partner.get('/crm/stages')).body.data.stages).toEqual(DEAL_STAGES)
  await waitFor('the stages of the CRM', async () => {
    return (await partner.get('/crm/stages')).body.data.stages.includes('Thrown To Kestrel Capital')
  })
})
