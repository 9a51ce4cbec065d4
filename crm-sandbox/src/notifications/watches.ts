import type { FastifyInstance } from 'fastify'
import type { Sandbox } from '../sandbox-context.ts'
import { findModule, type Module } from '../settings/modules.ts'
import { type Row, type Store, text, textOrNull } from '../store.ts'
import { readPage } from '../wire/paging.ts'
import { parseInstant, showInstant, storedInstant } from '../wire/times.ts'
import {
  bodyItems,
  type Failure,
  failure,
  type ItemResult,
  isObject,
  type JsonObject,
  type Query,
  sendItems,
} from '../wire/wire.ts'

const HOUR_MS = 3_600_000
const LIFETIME_MAX_MS = 7 * 24 * HOUR_MS
const WATCHES_MAX = 50
const CONDITION_FIELDS_MAX = 10

type Watch = {
  channelId: string
  module: Module
  events: string[]
  notifyUrl: string
  token: string | null
  expiry: string
  returnValues: boolean
  onRelated: boolean
  condition: string[] | null
}

/** The routes that open, list, change and end the channels through which Zoho reports changes. */
export function watchRoutes(app: FastifyInstance, sandbox: Sandbox) {
  const { store } = sandbox

  function subscribe(item: JsonObject, index: number, mustExist: boolean): ItemResult {
    const read = readWatches(sandbox, item, index)
    if ('code' in read) return read
    const channelId = read.watches[0]?.channelId ?? ''
    if (mustExist && findWatches(store, channelId).length === 0) return notSubscribed(index)
    store.run('DELETE FROM watches WHERE channel_id = ?', channelId)
    for (const watch of read.watches) saveWatch(store, watch)
    return success('Successfully subscribed for actions-watch of the given module', {
      events: read.watches.map((watch) => describe(sandbox, watch)),
    })
  }

  app.post('/crm/v8/actions/watch', (request, reply) => {
    const items = bodyItems(request.body, 'watch', WATCHES_MAX)
    const results = store.transaction(() => items.map((item, index) => subscribe(item, index, false)))
    return sendItems(reply, results, 201, 'watch')
  })

  app.put('/crm/v8/actions/watch', (request, reply) => {
    const items = bodyItems(request.body, 'watch', WATCHES_MAX)
    const results = store.transaction(() => items.map((item, index) => subscribe(item, index, true)))
    return sendItems(reply, results, 200, 'watch')
  })

  app.patch('/crm/v8/actions/watch', (request, reply) => {
    const items = bodyItems(request.body, 'watch', WATCHES_MAX)
    const results = store.transaction(() => items.map((item, index) => change(sandbox, item, index)))
    return sendItems(reply, results, 200, 'watch')
  })

  app.delete<{ Querystring: Query }>('/crm/v8/actions/watch', (request, reply) => {
    const ids = (request.query['channel_ids'] ?? '').split(',').filter((id) => id !== '')
    const results = store.transaction(() =>
      ids.map((id, index): ItemResult => {
        const [watch] = findWatches(store, id)
        if (!watch) return notSubscribed(index)
        store.run('DELETE FROM watches WHERE channel_id = ?', id)
        const { resource_uri, resource_id, channel_id } = describe(sandbox, watch)
        return success('Successfully un-subscribed from actions-watch', { resource_uri, resource_id, channel_id })
      }),
    )
    return sendItems(reply, results.length > 0 ? results : [notSubscribed(0)], 200, 'watch')
  })

  app.get<{ Querystring: Query }>('/crm/v8/actions/watch', (request, reply) => {
    const page = readPage(request.query)
    const rows = store.all(
      `SELECT * FROM watches WHERE expiry > ? AND (? = '' OR channel_id = ?) AND (? = '' OR module = ?)
       ORDER BY channel_id, module LIMIT ? OFFSET ?`,
      storedInstant(sandbox.now()),
      request.query['channel_id'] ?? '',
      request.query['channel_id'] ?? '',
      request.query['module'] ?? '',
      request.query['module'] ?? '',
      page.perPage + 1,
      page.offset,
    )
    if (rows.length === 0) return reply.code(204).send()
    const shown = rows.slice(0, page.perPage).map((row) => {
      const watch = fromRow(row)
      return {
        ...describe(sandbox, watch),
        notify_on_related_action: watch.onRelated,
        return_affected_field_values: watch.returnValues,
        notify_url: watch.notifyUrl,
        fields: null,
        notification_condition: watch.condition && showConditions(watch),
        events: watch.events,
        token: watch.token,
      }
    })
    const info = {
      per_page: page.perPage,
      count: shown.length,
      page: page.page,
      more_records: rows.length > page.perPage,
    }
    return { watch: shown, info }
  })
}

/** Reads one item of a subscription: a channel, with a row for each module that it watches. */
function readWatches(sandbox: Sandbox, item: JsonObject, index: number): { watches: Watch[] } | Failure {
  const wrong = (name: string) => {
    const details = { api_name: name, json_path: `$.watch[${index}].${name}` }
    const isMissing = item[name] === undefined || item[name] === null
    return isMissing
      ? failure('MANDATORY_NOT_FOUND', details, 'required field not found')
      : failure('INVALID_DATA', details, 'invalid data')
  }
  const channelId = item['channel_id']
  if (typeof channelId !== 'string' || !/^\d{1,19}$/.test(channelId)) return wrong('channel_id')
  const byModule = readEvents(item['events'])
  if (!byModule) return wrong('events')
  const notifyUrl = item['notify_url']
  if (typeof notifyUrl !== 'string' || !isPostable(notifyUrl, sandbox.behaviour().notifyNeedsHttps)) {
    return wrong('notify_url')
  }
  const token = item['token'] ?? null
  if (token !== null && (typeof token !== 'string' || token.length > 50)) return wrong('token')
  const expiry = readExpiry(sandbox, item['channel_expiry'])
  if (!expiry) return wrong('channel_expiry')
  const conditions = readConditions(item['notification_condition'])
  if (!conditions) return wrong('notification_condition')

  const watches = [...byModule].map(([module, events]) => ({
    channelId,
    module,
    events,
    notifyUrl,
    token,
    expiry,
    returnValues: item['return_affected_field_values'] === true,
    onRelated: item['notify_on_related_action'] !== false,
    condition: conditions.get(module.name) ?? null,
  }))
  return { watches }
}

/** Changes the given details of a channel and keeps the others. Checks the result like a new subscription. */
function change(sandbox: Sandbox, item: JsonObject, index: number): ItemResult {
  const { store } = sandbox
  const channelId = typeof item['channel_id'] === 'string' ? item['channel_id'] : ''
  const watches = findWatches(store, channelId)
  const [first] = watches
  if (!first) return notSubscribed(index)
  const isRemoval = item['_delete_events'] === true
  const named = readEvents(item['events'])
  const kept = watches.filter(({ module }) => !named?.has(module)).flatMap(({ events }) => events)
  const read = readWatches(
    sandbox,
    {
      notify_url: first.notifyUrl,
      token: first.token,
      return_affected_field_values: first.returnValues,
      notify_on_related_action: first.onRelated,
      notification_condition: watches.flatMap(showConditions),
      events: isRemoval ? undefined : kept,
      ...item,
      ...(named && { events: [...kept, ...named.values()].flat() }),
    },
    index,
  )
  if ('code' in read) return read

  if (isRemoval) {
    for (const watch of watches) {
      const left = watch.events.filter((event) => !named?.get(watch.module)?.includes(event))
      if (left.length > 0) saveWatch(store, { ...watch, events: left })
      else store.run('DELETE FROM watches WHERE channel_id = ? AND module = ?', channelId, watch.module.name)
    }
    return success('Successfully removed the subscribe details', {
      events: watches.map((watch) => describe(sandbox, watch)),
    })
  }

  const keepsExpiry = item['channel_expiry'] === undefined
  const changed = read.watches.map((watch) => (keepsExpiry ? { ...watch, expiry: first.expiry } : watch))
  for (const watch of changed) saveWatch(store, watch)
  return success('Successfully updated the subscribe details', {
    events: changed.map((watch) => describe(sandbox, watch)),
  })
}

function readEvents(given: unknown): Map<Module, string[]> | undefined {
  if (!Array.isArray(given) || given.length === 0) return undefined
  const byModule = new Map<Module, string[]>()
  for (const event of given) {
    const match = typeof event === 'string' ? /^(\w+)\.(create|edit|delete|all)$/.exec(event) : undefined
    const module = findModule(match?.[1] ?? '')
    if (!match || !module) return undefined
    byModule.set(module, [...(byModule.get(module) ?? []), match[0]])
  }
  return byModule
}

/**
 * Reads the time at which a channel expires. If that time is absent or more than a week away, the channel expires in an
 * hour. Returns undefined if the time is in the past or cannot be read.
 */
function readExpiry(sandbox: Sandbox, given: unknown): string | undefined {
  const hour = storedInstant(sandbox.now() + HOUR_MS)
  if (given === undefined || given === null) return hour
  const instant = typeof given === 'string' ? parseInstant(given) : undefined
  if (!instant || instant <= storedInstant(sandbox.now())) return undefined
  return instant > storedInstant(sandbox.now() + LIFETIME_MAX_MS) ? hour : instant
}

/** Reads, for each module, the fields whose edits cause notifications. */
function readConditions(given: unknown): Map<string, string[]> | undefined {
  const byModule = new Map<string, string[]>()
  if (given === undefined || given === null) return byModule
  if (!Array.isArray(given)) return undefined
  for (const one of given) {
    const module = isObject(one) && isObject(one['module']) ? one['module']['api_name'] : undefined
    const selection = isObject(one) ? one['field_selection'] : undefined
    const fields = selectedFields(selection)
    if (typeof module !== 'string' || !findModule(module)) return undefined
    if (fields.length === 0 || fields.length > CONDITION_FIELDS_MAX) return undefined
    byModule.set(module, fields)
  }
  return byModule
}

function selectedFields(selection: unknown): string[] {
  if (!isObject(selection)) return []
  if (Array.isArray(selection['group'])) return selection['group'].flatMap(selectedFields)
  const name = isObject(selection['field']) ? selection['field']['api_name'] : undefined
  return typeof name === 'string' ? [name] : []
}

/** Shows the fields to which a watch is limited, in the form that a subscription uses. */
function showConditions({ module, condition }: Watch): JsonObject[] {
  if (!condition) return []
  const group = condition.map((name) => ({ field: { api_name: name } }))
  const field_selection = { group_operator: 'or', group }
  return [{ type: 'field_selection', module: { api_name: module.name, id: module.id }, field_selection }]
}

function isPostable(url: string, needsHttps: boolean): boolean {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  return parsed?.protocol === 'https:' || (parsed?.protocol === 'http:' && !needsHttps)
}

function saveWatch(store: Store, watch: Watch) {
  store.run(
    `INSERT OR REPLACE INTO watches
       (channel_id, module, events, notify_url, token, expiry, return_values, on_related, condition)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    watch.channelId,
    watch.module.name,
    JSON.stringify(watch.events),
    watch.notifyUrl,
    watch.token,
    watch.expiry,
    watch.returnValues ? 1 : 0,
    watch.onRelated ? 1 : 0,
    watch.condition && JSON.stringify(watch.condition),
  )
}

function findWatches(store: Store, channelId: string): Watch[] {
  return store.all('SELECT * FROM watches WHERE channel_id = ? ORDER BY module', channelId).map(fromRow)
}

function fromRow(row: Row): Watch {
  const module = findModule(text(row['module']))
  if (!module) throw new TypeError('a watch on an unknown module')
  return {
    channelId: text(row['channel_id']),
    module,
    events: textList(text(row['events'])),
    notifyUrl: text(row['notify_url']),
    token: textOrNull(row['token']),
    expiry: text(row['expiry']),
    returnValues: row['return_values'] === 1,
    onRelated: row['on_related'] === 1,
    condition: row['condition'] === null ? null : textList(text(row['condition'])),
  }
}

function textList(json: string): string[] {
  const parsed: unknown = JSON.parse(json)
  return Array.isArray(parsed) ? parsed.map(String) : []
}

function describe(sandbox: Sandbox, watch: Watch) {
  return {
    channel_expiry: showInstant(watch.expiry, sandbox.behaviour().timesOffset),
    resource_uri: `${sandbox.baseUrl()}/crm/v8/${watch.module.name}`,
    resource_id: watch.module.id,
    resource_name: watch.module.name,
    channel_id: watch.channelId,
  }
}

function success(message: string, details: JsonObject): ItemResult {
  return { code: 'SUCCESS', details, message, status: 'success' }
}

function notSubscribed(index: number): Failure {
  const details = { api_name: 'channel_id', json_path: `$.watch[${index}].channel_id` }
  return failure('NOT_SUBSCRIBED', details, 'The channel is not subscribed')
}
