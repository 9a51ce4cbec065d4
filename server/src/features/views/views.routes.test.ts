import { VIEW_QUERY_LENGTH_MAX, VIEWS_MAX } from '@portal/contract/limits.ts'
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

test('two tabs that keep one name at once make one view, and none gets past the most that a person may have', async () => {
  await using other = await startPortal({ on: portal, env: { ROLE: 'web' } })
  const owner = await portal.newPartner()
  const keep = (name: string, at: number) =>
    (at % 2 === 0 ? portal : other).post('/dashboard/views', { ...WAITING, name }, { token: owner.token })
  const names = ['Waiting', 'WAITING', 'Waītíng', '“Waiting”', 'waiting', 'Waitinġ']
  const answers = await Promise.all(names.map(keep))
  expect(answers.map(({ status }) => status)).toEqual(names.map(() => 200))
  expect(await viewsOf(owner)).toHaveLength(1)

  for (let at = 2; at < VIEWS_MAX; at += 1) await keep(`View ${at}`, at)
  const last = await Promise.all(['A', 'B', 'C', 'D'].map(keep))
  expect(last.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409])
})

test('a view is not renamed to another’s name in other signs', async () => {
  const owner = await portal.newPartner()
  const { id } = (await owner.post('/dashboard/views', WAITING)).body.data
  await owner.post('/dashboard/views', { ...WAITING, name: 'Hot' })
  for (const name of ['HOT', 'Hōt', '“Hot”']) {
    expect((await owner.put(`/dashboard/views/${id}`, { name })).body.error).toBe('You have a view of this name.')
  }
  expect((await owner.put(`/dashboard/views/${id}`, { name: 'WAITING' })).body.data.name).toBe('WAITING')
})

test('a view that its owner removes while a colleague makes it the default is not found', async () => {
  await using other = await startPortal({ on: portal, env: { ROLE: 'web' } })
  const owner = await portal.newPartner()
  await confirmEmail(portal, owner)
  const viewer = await addColleague(portal, owner, 'viewer')
  for (let round = 0; round < 10; round += 1) {
    const { id } = (await owner.post('/dashboard/views', WAITING)).body.data
    await owner.put(`/dashboard/views/${id}`, { is_shared: true })
    const make = { token: viewer.token, body: { is_default: true } }
    const [made, removed] = await Promise.all([other.ask('PUT', `/dashboard/views/${id}`, make), remove(owner, id)])
    expect([removed.status, [200, 404].includes(made.status) ? 'answered' : made.body]).toEqual([200, 'answered'])
    expect(await viewsOf(viewer)).toEqual([])
  }
})

test('a view’s address is not longer than the most, as it is kept', async () => {
  const owner = await portal.newPartner()
  const made = await owner.post('/dashboard/views', {
    ...WAITING,
    query: `search=${'é'.repeat(VIEW_QUERY_LENGTH_MAX / 2)}`,
  })
  expect([made.status, Object.keys(made.body.fields ?? {})]).toEqual([400, ['query']])
})
