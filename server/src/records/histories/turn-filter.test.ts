import { expect, test } from 'vitest'
import { insertDeal } from '../../testing/insert-deal.ts'
import { insertRequest } from '../../testing/insert-request.ts'
import { startPortal } from '../../testing/start-portal.ts'

interface Row {
  business_name: string | null
  deal_name?: string | null
  side: string | null
}

test('the lists of leads and deals, and their files, can have just the records whose turn is the partner’s or the lender’s', async () => {
  await using portal = await startPortal()
  const { db } = portal.deps
  const [ada, bob] = [await portal.newPartner(), await portal.newPartner()]
  const lead = async (businessName: string, change: object = {}, partner = ada) => {
    const { loid } = await partner.submitLead({ businessName })
    await db
      .updateTable('leads')
      .set({ crm: 'synced', ...change })
      .where('loid', '=', loid)
      .execute()
    return loid
  }
  const unreached = { lead_status: 'Unable to Contact', status_since: new Date().toISOString() }
  await lead('Unreached', unreached)
  const answered = await lead('Answered', unreached)
  const done = await lead('Done', unreached)
  // The lender's CRM has this status of its own.
  await lead('Broker', { lead_status: 'Waiting for the broker' })
  await lead('New')
  await insertRequest(db, await lead('Asked'))
  await insertRequest(db, await lead('Asked and lost', { lead_status: 'Lost Lead' }))
  await lead('Lost', { lead_status: 'Lost Lead' })
  await lead('Without a deal', { ...unreached, awaits_deal_since: new Date().toISOString() })
  await lead('On its way', { ...unreached, crm: 'pending' })
  await insertRequest(db, await lead('Other partner', unreached, bob))
  await insertDeal(db, ada.id, { deal_name: 'Approved' })
  await insertDeal(db, ada.id, { deal_name: 'Documents', stage: 'Documents needed from broker' })
  await insertDeal(db, ada.id, { deal_name: 'Funded', stage: 'Funded' })
  // The lender asked when the deal was a lead.
  const became = await lead('Became a deal', { converted_at: new Date().toISOString() })
  await insertDeal(db, ada.id, { deal_name: 'Asked as a lead', loid: became })
  await insertRequest(db, became)
  portal.advance(2_000)
  await ada.post(`/crm/note/${answered}`, { content: 'Try the other number.' })
  const { items } = (await ada.get('/dashboard/attention')).body.data
  const item = items.find(({ kind, loid }: { kind: string; loid: string }) => kind === 'your-turn' && loid === done)
  expect((await ada.post(`/dashboard/attention/${item.id}/done`)).status).toBe(200)

  const listed = async (query: string) => {
    const { body } = await ada.get(`/dashboard/${query}`)
    const rows: Row[] = body.data.leads ?? body.data.deals
    expect(body.pagination.total).toBe(rows.length)
    return rows.map(({ business_name, deal_name, side }) => `${deal_name ?? business_name}: ${side}`).toSorted()
  }
  const partners = ['Asked: partner', 'Broker: partner', 'Unreached: partner']
  expect(await listed('leads?turn=partner')).toEqual(partners)
  expect(await listed('leads?turn=partner&sort=business_name&order=asc')).toEqual(partners)
  expect(await listed('leads?turn=partner&search=unreached')).toEqual(['Unreached: partner'])
  expect(await listed('leads?turn=partner&status=New Lead')).toEqual(['Asked: partner'])
  expect(await listed('leads?turn=lender')).toEqual([
    'Answered: lender',
    'Done: lender',
    'New: lender',
    'Without a deal: lender',
  ])
  expect(await listed('deals?turn=partner')).toEqual(['Asked as a lead: partner', 'Documents: partner'])
  expect(await listed('deals?turn=lender')).toEqual(['Approved: lender'])
  const { status, body } = await ada.get('/dashboard/leads?turn=mine')
  expect([status, body.error]).toEqual([400, 'turn must be partner or lender'])

  const fileOf = async (path: string) => {
    const headers = { authorization: `Bearer ${ada.token}` }
    const file = await (await fetch(`${portal.url}/api/dashboard/${path}`, { headers })).text()
    return file.trim().split('\r\n').slice(1)
  }
  expect(await fileOf('leads/export?turn=partner')).toHaveLength(3)
  expect(await fileOf('deals/export?turn=lender')).toHaveLength(1)
})
