import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { at, startTestSandbox, until } from '../test-sandbox.ts'
import { isObject, type JsonObject } from '../wire/wire.ts'

/** Listens as a subscriber would and keeps the notifications that arrive. `answer` is the status of its answers. */
async function startListener() {
  const posts: JsonObject[] = []
  const listener = { answer: 200 }
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk) => {
      text += String(chunk)
    })
    request.on('end', () => {
      const body: unknown = JSON.parse(text)
      if (isObject(body)) posts.push(body)
      response.writeHead(listener.answer).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = isAddress(address) ? address.port : 0
  return {
    posts,
    listener,
    url: `http://127.0.0.1:${port}/hook`,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}

function isAddress(address: AddressInfo | string | null): address is AddressInfo {
  return typeof address === 'object' && address !== null
}

const CHANNEL = { channel_id: '1000000068001', events: ['Leads.create', 'Leads.edit', 'Deals.all'], token: 'secret' }

test('a channel is notified of creations, changes and deletions', async () => {
  await using sandbox = await startTestSandbox()
  await using hook = await startListener()
  const { call, add } = sandbox
  const watch = { ...CHANNEL, notify_url: hook.url, return_affected_field_values: true }
  const subscribed = await call('POST', '/crm/v8/actions/watch', { watch: [watch] })
  expect([subscribed.status, at(subscribed.body, 'watch.0.code')]).toEqual([201, 'SUCCESS'])

  const lead = await add('Leads', { Last_Name: 'Ash' })
  await until(() => hook.posts[0])
  expect(hook.posts[0]).toMatchObject({
    operation: 'insert',
    module: 'Leads',
    ids: [lead],
    channel_id: CHANNEL.channel_id,
    token: 'secret',
  })
  await call('PUT', `/crm/v8/Leads/${lead}`, { data: [{ Lead_Status: 'Contacted' }] })
  await until(() => hook.posts[1])
  expect(hook.posts[1]).toMatchObject({
    operation: 'update',
    affected_values: [{ record_id: lead, values: { Lead_Status: 'Contacted' } }],
    affected_fields: [{ [lead]: ['Lead_Status'] }],
  })
  // The channel watches the deletion of deals, but not of leads.
  await call('DELETE', `/crm/v8/Leads/${lead}`)
  const deal = await add('Deals', { Deal_Name: 'D', Stage: 'Funded' })
  await call('DELETE', `/crm/v8/Deals/${deal}`)
  await until(() => hook.posts[3])
  expect(hook.posts.map((post) => post['operation'])).toEqual(['insert', 'update', 'insert', 'delete'])
})

test('channels can be read, renewed, narrowed and ended', async () => {
  await using sandbox = await startTestSandbox({ now: '2026-03-01T00:00:00Z' })
  const { call } = sandbox
  const notify_url = 'http://127.0.0.1:9/never'
  const expiryOf = async () => at((await call('GET', '/crm/v8/actions/watch')).body, 'watch.0.channel_expiry')
  await call('POST', '/crm/v8/actions/watch', { watch: [{ ...CHANNEL, notify_url }] })
  expect(await expiryOf()).toBe('2026-03-01T11:00:00+10:00')
  const renew = (channel_expiry: string) =>
    call('PATCH', '/crm/v8/actions/watch', { watch: [{ channel_id: CHANNEL.channel_id, channel_expiry }] })
  await renew('2026-03-07T00:00:00Z')
  expect(await expiryOf()).toBe('2026-03-07T10:00:00+10:00')
  await renew('2026-04-01T00:00:00Z')
  expect(await expiryOf()).toBe('2026-03-01T11:00:00+10:00')

  const change = async (details: JsonObject) => {
    const watch = [{ channel_id: CHANNEL.channel_id, ...details }]
    const { body } = await call('PATCH', '/crm/v8/actions/watch', { watch })
    return [at(body, 'watch.0.code'), at(body, 'watch.0.details.api_name')]
  }
  expect(await change({ notify_url: 'ftp://127.0.0.1/hook' })).toEqual(['INVALID_DATA', 'notify_url'])
  expect(await change({ notify_url: null })).toEqual(['MANDATORY_NOT_FOUND', 'notify_url'])
  expect(await change({ token: 'x'.repeat(51) })).toEqual(['INVALID_DATA', 'token'])
  expect(await change({ channel_expiry: 'never' })).toEqual(['INVALID_DATA', 'channel_expiry'])
  expect(await change({ notification_condition: 'x' })).toEqual(['INVALID_DATA', 'notification_condition'])
  expect(await change({ events: [] })).toEqual(['INVALID_DATA', 'events'])
  expect(await change({ _delete_events: true })).toEqual(['MANDATORY_NOT_FOUND', 'events'])
  expect(await change({ events: ['Notes.all'], token: 'other' })).toEqual(['SUCCESS', undefined])
  const channel = (await call('GET', '/crm/v8/actions/watch')).body
  expect(channel).toMatchObject({
    watch: [
      { events: ['Deals.all'], token: 'other', notify_url, channel_expiry: '2026-03-01T11:00:00+10:00' },
      { events: ['Leads.create', 'Leads.edit'], token: 'other' },
      { events: ['Notes.all'], token: 'other' },
    ],
  })

  const fewer = { channel_id: CHANNEL.channel_id, events: ['Leads.edit'], _delete_events: true }
  await call('PATCH', '/crm/v8/actions/watch', { watch: [fewer] })
  const { body } = await call('GET', `/crm/v8/actions/watch?channel_id=${CHANNEL.channel_id}&module=Leads`)
  expect(at(body, 'watch.0.events')).toEqual(['Leads.create'])
  sandbox.setTime('2026-03-01T02:00:00Z')
  expect((await call('GET', '/crm/v8/actions/watch')).status).toBe(204)
  expect((await call('DELETE', `/crm/v8/actions/watch?channel_ids=${CHANNEL.channel_id}`)).status).toBe(200)
  const unknown = await call('PUT', '/crm/v8/actions/watch', { watch: [{ ...CHANNEL, notify_url }] })
  expect([unknown.status, at(unknown.body, 'watch.0.code')]).toEqual([400, 'NOT_SUBSCRIBED'])
  const mixed = await call('POST', '/crm/v8/actions/watch', {
    watch: [
      { ...CHANNEL, notify_url },
      { channel_id: '1', events: ['Leads.never'], notify_url },
    ],
  })
  expect([mixed.status, at(mixed.body, 'watch.1.code')]).toEqual([207, 'INVALID_DATA'])
})

test('a channel can be limited to edits that change named fields', async () => {
  await using sandbox = await startTestSandbox()
  await using hook = await startListener()
  const { call, add } = sandbox
  const condition = {
    type: 'field_selection',
    module: { api_name: 'Deals' },
    field_selection: {
      group_operator: 'or',
      group: [{ field: { api_name: 'Stage' } }, { field: { api_name: 'Amount' } }],
    },
  }
  const watch = { ...CHANNEL, events: ['Deals.edit'], notify_url: hook.url, notification_condition: [condition] }
  await call('POST', '/crm/v8/actions/watch', { watch: [watch] })
  const deal = await add('Deals', { Deal_Name: 'D', Stage: 'Funded' })
  await call('PUT', `/crm/v8/Deals/${deal}`, { data: [{ Description: 'x' }] })
  await call('PUT', `/crm/v8/Deals/${deal}`, { data: [{ Amount: 5 }] })
  await until(() => hook.posts[0])
  expect(hook.posts[0]?.['affected_fields']).toEqual([{ [deal]: ['Amount'] }])
})

test('faults can drop, duplicate or split notifications, and a notification is repeated unless the answer is 2xx', async () => {
  await using sandbox = await startTestSandbox()
  await using hook = await startListener()
  const { call, add, control } = sandbox
  await call('POST', '/crm/v8/actions/watch', { watch: [{ ...CHANNEL, notify_url: hook.url }] })
  await control('POST', '/sandbox/faults', { notifications: { drop: 1 } })
  await add('Leads', { Last_Name: 'Dropped' })
  await until(async () =>
    at((await control('GET', '/sandbox/faults')).body, 'notifications.drop') === 0 ? true : undefined,
  )
  await control('POST', '/sandbox/faults', { notifications: { duplicate: 1 } })
  const doubled = await add('Leads', { Last_Name: 'Doubled' })
  await until(() => hook.posts[1])
  expect(hook.posts.map((post) => post['ids'])).toEqual([[doubled], [doubled]])
  const both = { data: [{ Last_Name: 'One' }, { Last_Name: 'Two' }] }
  await control('POST', '/sandbox/faults', { notifications: { single: true } })
  await call('POST', '/crm/v8/Leads', both)
  await until(() => hook.posts[3])
  await control('POST', '/sandbox/faults', {})
  await call('POST', '/crm/v8/Leads', both)
  await until(() => hook.posts[4])
  expect(hook.posts.splice(2).map(({ ids }) => Array.isArray(ids) && ids.length)).toEqual([1, 1, 2])
  hook.listener.answer = 500
  const retried = await add('Leads', { Last_Name: 'Retried' })
  await until(() => hook.posts[3])
  expect(hook.posts.slice(2).map((post) => post['ids'])).toEqual([[retried], [retried]])
})
