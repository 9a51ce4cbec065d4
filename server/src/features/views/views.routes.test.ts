import type { ListView } from '@portal/contract/views.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  addColleague,
  confirmEmail,
  startPortal,
  type TestPartner,
  type TestPortal,
} from '../../testing/start-portal.ts'

let portal: TestPortal
beforeAll(async () => {
  portal = await startPortal()
})
afterAll(() => portal[Symbol.asyncDispose]())

const WAITING = { list: 'leads', name: 'Waiting', query: 'page=3&status=Contacted&view=all' }

async function viewsOf(person: Pick<TestPartner, 'get'>): Promise<ListView[]> {
  return (await person.get('/dashboard/views')).body.data.views
}

function remove({ token }: { token: string }, id: string) {
  return portal.ask('DELETE', `/dashboard/views/${id}`, { token })
}

test('a view is an address with a name, without its page, and saving the name again replaces the address', async () => {
  const owner = await portal.newPartner()
  const made = await owner.post('/dashboard/views', WAITING)
  expect([made.status, made.body.data]).toEqual([
    200,
    expect.objectContaining({
      list: 'leads',
      name: 'Waiting',
      query: 'status=Contacted',
      is_mine: true,
      is_shared: false,
    }),
  ])
  await owner.post('/dashboard/views', { ...WAITING, query: 'sort=loan_amount' })
  // The same name, as people see it (D142).
  for (const name of ['WAITING', 'Waītíng', '“Wai\u200bting”', 'Ｗａｉｔｉｎｇ'])
    await owner.post('/dashboard/views', { ...WAITING, name, query: 'sorted=all&sort=-loan_amount' })
  await owner.post('/dashboard/views', { ...WAITING, list: 'deals' })
  expect((await viewsOf(owner)).map(({ list, name, query }) => [list, name, query]).toSorted()).toEqual([
    ['deals', 'Waiting', 'status=Contacted'],
    ['leads', 'Waiting', 'sort=-loan_amount&sorted=all'],
  ])
})

test('a person renames a view of their own, but not to the name of another', async () => {
  const owner = await portal.newPartner()
  await confirmEmail(portal, owner)
  const viewer = await addColleague(portal, owner, 'viewer')
  const { id } = (await owner.post('/dashboard/views', WAITING)).body.data
  await owner.put(`/dashboard/views/${id}`, { is_shared: true })
  await owner.post('/dashboard/views', { ...WAITING, name: 'Hot' })
  await owner.post('/dashboard/views', { ...WAITING, name: 'Quiet', list: 'deals' })
  expect((await owner.put(`/dashboard/views/${id}`, { name: ' Quiet ' })).body.data).toMatchObject({
    id,
    name: 'Quiet',
    query: 'status=Contacted',
    is_shared: true,
  })
  const taken = await owner.put(`/dashboard/views/${id}`, { name: 'Hot' })
  expect([taken.status, taken.body.error]).toEqual([409, 'You have a view of this name.'])
  expect((await viewer.put(`/dashboard/views/${id}`, { name: 'Mine' })).status).toBe(404)
  expect((await viewsOf(viewer)).map(({ name }) => name)).toEqual(['Quiet'])
})

test('an owner shares a view, a colleague makes it the default of the list, and neither changes the other’s', async () => {
  const owner = await portal.newPartner()
  await confirmEmail(portal, owner)
  const viewer = await addColleague(portal, owner, 'viewer')
  const { id } = (await owner.post('/dashboard/views', WAITING)).body.data
  expect(await viewsOf(viewer)).toEqual([])
  expect((await viewer.put(`/dashboard/views/${id}`, { is_default: true })).status).toBe(404)

  await owner.put(`/dashboard/views/${id}`, { is_shared: true })
  expect((await viewer.put(`/dashboard/views/${id}`, { is_default: true })).body.data).toMatchObject({
    is_default: true,
    is_mine: false,
  })
  expect(await viewsOf(owner)).toMatchObject([{ is_shared: true, is_default: false }])
  expect((await viewer.put(`/dashboard/views/${id}`, { is_shared: false })).status).toBe(404)
  expect((await remove(viewer, id)).status).toBe(404)

  const own = (await viewer.post('/dashboard/views', WAITING)).body.data
  const refused = await viewer.put(`/dashboard/views/${own.id}`, { is_shared: true })
  expect([refused.status, refused.body.code]).toEqual([403, 'NOT_ALLOWED'])
  await viewer.put(`/dashboard/views/${own.id}`, { is_default: true })
  expect((await viewsOf(viewer)).filter(({ is_default }) => is_default).map((view) => view.id)).toEqual([own.id])

  expect((await remove(owner, id)).status).toBe(200)
  expect((await viewsOf(viewer)).map((view) => view.id)).toEqual([own.id])
})

test('what an owner shared is theirs alone once they are no owner any more', async () => {
  const owner = await portal.newPartner()
  await confirmEmail(portal, owner)
  const second = await addColleague(portal, owner, 'owner')
  const { id } = (await second.post('/dashboard/views', WAITING)).body.data
  await second.put(`/dashboard/views/${id}`, { is_shared: true })
  expect(await viewsOf(owner)).toHaveLength(1)
  await owner.put(`/team/people/${second.id}`, { role: 'member' })
  expect(await viewsOf(owner)).toEqual([])
  expect(await viewsOf(second)).toHaveLength(1)
})

test('a person keeps at most 50 views', async () => {
  const owner = await portal.newPartner()
  for (let n = 0; n < 50; n += 1) await owner.post('/dashboard/views', { ...WAITING, name: `View ${n}` })
  const refused = await owner.post('/dashboard/views', WAITING)
  expect([refused.status, refused.body.error]).toEqual([409, 'You have 50 views. Please remove one first.'])
  expect((await owner.post('/dashboard/views', { ...WAITING, name: 'View 7' })).status).toBe(200)
})
