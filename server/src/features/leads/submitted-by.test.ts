import { expect, test } from 'vitest'
import { openLender } from '../../testing/lender.ts'
import { addColleague, newLead, startPortal } from '../../testing/start-portal.ts'
import { waitFor } from '../../testing/wait-for.ts'

const NOTE = 'The statements come by email.'

test('a lead, its notes and its later deal show who submitted them, and lists can be filtered by person (D64)', async () => {
  await using portal = await startPortal({ withCrm: true })
  const lender = openLender(portal.crmUrl)
  const owner = await portal.newPartner({ firstName: 'Mia', lastName: 'Harbour' })
  const robin = await addColleague(portal, owner, 'member')
  const stranger = await portal.newPartner()
  const robinsName = (await owner.get('/dashboard/submitters')).body.data.people.find(
    ({ id }: { id: string }) => id === robin.id,
  ).name
  const key = (await owner.post('/dashboard/generate-api-key')).body.data.api_key
  const mias = await owner.submitLead()
  const robins = (await robin.post('/dashboard/leads', newLead())).body.data
  const systems = (await portal.ask('POST', '/partner/leads', { token: key, body: newLead() })).body.data

  const lists = async (person: string, partner: Pick<typeof owner, 'get'> = owner) => {
    const { body } = await partner.get(`/dashboard/leads?person=${person}`)
    return body.data.leads.map(({ loid, submitted_by }: { loid: string; submitted_by: string }) => [loid, submitted_by])
  }
  expect(await lists('me')).toEqual([[mias.loid, 'Mia Harbour']])
  expect(await lists('me', robin)).toEqual([[robins.loid, robinsName]])
  expect(await lists(robin.id)).toEqual([[robins.loid, robinsName]])
  expect(await lists('')).toContainEqual([systems.loid, 'API key'])
  expect(await lists('nobody')).toEqual([])
  expect(await lists(robin.id, stranger)).toEqual([])

  await robin.post(`/crm/note/${robins.loid}`, { content: NOTE })
  const lead = await owner.pushedLead(robins.loid)
  expect(lead.submitter_id).toBe(robin.id)
  const zohoId = await waitFor('the lead in the CRM', async () => {
    const leads = await lender.list('Leads', 'LOID,Submitted_By')
    const found = leads.find((one) => one['LOID'] === robins.loid && one['Submitted_By'] === robinsName)
    return found && String(found['id'])
  })
  await waitFor('the signed note in the CRM', async () => {
    const notes = await lender.list(`Leads/${zohoId}/Notes`, 'Note_Content')
    return notes.some((note) => note['Note_Content'] === `${NOTE}\n\n— ${robinsName}, ${owner.businessName}`)
  })
  await lender.convert(zohoId)
  await owner.post('/dashboard/sync-leads')
  const { deals } = (await robin.get('/dashboard/deals?person=me')).body.data
  expect(deals.map((deal: { submitted_by: string }) => deal.submitted_by)).toEqual([robinsName])
  const { notes } = (await owner.get(`/crm/deal/${robins.loid}`)).body.data
  expect(notes.map((note: { content: string; submitted_by: string }) => [note.content, note.submitted_by])).toEqual([
    [NOTE, robinsName],
  ])
  const { activities } = (await owner.get('/dashboard/recent-activity')).body.data
  expect(activities.map((one: { description: string }) => one.description)).toContainEqual(
    expect.stringContaining(` · ${robinsName}: ${NOTE}`),
  )
})
