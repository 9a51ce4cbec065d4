import { expect, test } from 'vitest'
import { noteFieldGroups } from '../../crm/pull/fields/optional-values.ts'
import { openLender } from '../../testing/lender.ts'
import { addColleague, startPortal, type TestPartner } from '../../testing/start-portal.ts'
import { waitFor } from '../../testing/wait-for.ts'

test('people who see payments read the statements on the partner’s own CRM record, and no other file of it', async () => {
  await using portal = await startPortal({ withCrm: true })
  const lender = openLender(portal.crmUrl)
  await portal.deps.crm.makeMissingFields(['payments'])
  await noteFieldGroups(portal.deps)
  const [ada, bob] = [await portal.newPartner(), await portal.newPartner()]
  const inCrm = (partner: TestPartner): Promise<string> =>
    waitFor('the partner in the CRM', async () => (await partner.get('/profile')).body.data.zoho_id)
  const record = await inCrm(ada)
  await inCrm(bob)
  const list = (who: Pick<TestPartner, 'get'>) => who.get('/payments/statements')
  expect((await list(ada)).body.data.statements).toEqual([])

  await lender.attach('Partners', record, { name: 'Statement October.pdf', content: '%PDF-1.7 ten dollars' })
  await lender.attach('Partners', record, { name: 'statement-2026-11.csv', content: 'a,b' })
  await lender.attach('Partners', record, { name: 'Credit check.pdf', content: 'not for the partner' })
  const { statements } = (await list(ada)).body.data
  expect(statements.map(({ name }: { name: string }) => name).toSorted()).toEqual([
    'Statement October.pdf',
    'statement-2026-11.csv',
  ])
  const october = statements.find(({ size }: { size: number }) => size === 20)
  const open = (who: Pick<TestPartner, 'token'>, id: string) =>
    fetch(`${portal.url}/api/payments/statements/${id}/content`, { headers: { authorization: `Bearer ${who.token}` } })
  const opened = await open(ada, october.id)
  expect([opened.status, await opened.text()]).toEqual([200, '%PDF-1.7 ten dollars'])
  expect(opened.headers.get('content-disposition')).toContain('Statement%20October.pdf')
  const { entries } = (await ada.get('/security-log')).body.data
  expect(entries).toContainEqual(expect.objectContaining({ event: 'statement-opened' }))

  const attached = await lender.attachments('Partners', record)
  const hidden = attached.find(({ name }) => name === 'Credit check.pdf')?.id ?? ''
  expect((await open(ada, hidden)).status).toBe(404)
  expect((await open(ada, '../../Leads')).status).toBe(404)
  expect((await open(bob, october.id)).status).toBe(404)
  expect((await list(bob)).body.data.statements).toEqual([])
  const member = await addColleague(portal, ada, 'member')
  expect([(await list(member)).status, (await open(member, october.id)).status]).toEqual([403, 403])
  await ada.put(`/team/people/${member.id}`, { sees_money: true })
  expect((await list(member)).body.data.statements).toHaveLength(2)
})
