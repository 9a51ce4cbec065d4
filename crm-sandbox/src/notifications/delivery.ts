import { setTimeout as wait } from 'node:timers/promises'
import type { Faults } from '../faults/faults.ts'
import type { Sandbox } from '../sandbox-context.ts'
import { number, type Row, type Store, text, textOrNull } from '../store.ts'
import { isObject, type JsonObject } from '../wire/wire.ts'

const POST_TIMEOUT_MS = 10_000
const IDS_PER_POST_MAX = 100

export type Delivery = { wake(): void; stop(): Promise<void> }

/**
 * Posts queued notifications in batches, the oldest first. A batch is removed once a post has been answered with 2xx or
 * the last attempt has failed. If the process is killed before then, the batch is posted again, so nothing is lost.
 * Faults can drop, duplicate, delay, reorder or split batches.
 */
export function startDelivery(sandbox: Sandbox, faults: Faults): Delivery {
  const stopping = new AbortController()
  let asked = true
  let isRunning = false
  let running = Promise.resolve()
  let timer: NodeJS.Timeout | undefined

  async function run() {
    while (asked && !stopping.signal.aborted) {
      asked = false
      const { delayMs, reorder, single } = faults.notifications()
      const batches = dueBatches(sandbox.store, Date.now() - (delayMs ?? 0), single ? 1 : IDS_PER_POST_MAX)
      for (const batch of reorder ? batches.toReversed() : batches) {
        if (stopping.signal.aborted) return
        await deliver(sandbox, faults, batch, stopping.signal)
      }
    }
    const next = sandbox.store.get('SELECT min(due_ms) AS due FROM notices')?.['due']
    if (typeof next !== 'number' || stopping.signal.aborted) return
    const inMs = next + (faults.notifications().delayMs ?? 0) - Date.now()
    timer = setTimeout(wake, Math.min(Math.max(inMs, 20), 60_000))
    timer.unref()
  }

  function wake() {
    asked = true
    if (isRunning || stopping.signal.aborted) return
    isRunning = true
    clearTimeout(timer)
    // The transaction that queued the notification might not be committed until this turn of the event loop ends.
    running = wait(0)
      .then(run)
      .finally(() => {
        isRunning = false
        if (asked && !stopping.signal.aborted) wake()
      })
  }

  wake()
  return {
    wake,
    async stop() {
      stopping.abort()
      clearTimeout(timer)
      await running
    },
  }
}

async function deliver(sandbox: Sandbox, faults: Faults, batch: Row[], signal: AbortSignal) {
  const { store } = sandbox
  const seqs = batch.map((row) => number(row['seq']))
  const forget = () =>
    store.transaction(() => {
      for (const seq of seqs) store.run('DELETE FROM notices WHERE seq = ?', seq)
    })

  const { drop, duplicate } = faults.notifications()
  if (drop) {
    faults.spend((next) => next.notifications?.drop && next.notifications.drop--)
    return forget()
  }
  const body = JSON.stringify(postBody(sandbox, batch))
  const [first] = batch
  const url = text(first?.['notify_url'])
  if (duplicate) {
    faults.spend((next) => next.notifications?.duplicate && next.notifications.duplicate--)
    await post(url, body, signal)
  }
  const wasAnswered = await post(url, body, signal)
  if (signal.aborted) return
  const attempts = number(first?.['attempts']) + 1
  if (wasAnswered || attempts >= sandbox.behaviour().notifyAttemptsMax) return forget()
  store.transaction(() => {
    const due = Date.now() + 1_000 * 2 ** attempts
    for (const seq of seqs) store.run('UPDATE notices SET attempts = ?, due_ms = ? WHERE seq = ?', attempts, due, seq)
  })
}

async function post(url: string, body: string, signal: AbortSignal): Promise<boolean> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json;charset=UTF-8' },
      body,
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(POST_TIMEOUT_MS)]),
    })
    await response.body?.cancel()
    return response.status >= 200 && response.status < 300
  } catch {
    return false
  }
}

/** Joins consecutive notifications of one channel, module and operation, because Zoho sends several ids in one post. */
function dueBatches(store: Store, until: number, idsMax: number): Row[][] {
  const batches: Row[][] = []
  for (const row of store.all('SELECT * FROM notices WHERE due_ms <= ? ORDER BY seq LIMIT 500', until)) {
    const batch = batches.at(-1)
    const last = batch?.at(-1)
    const isAlike =
      last !== undefined &&
      ['channel_id', 'module', 'operation', 'notify_url', 'attempts'].every((column) => last[column] === row[column])
    if (batch && isAlike && batch.length < idsMax) batch.push(row)
    else batches.push([row])
  }
  return batches
}

function postBody(sandbox: Sandbox, batch: Row[]): JsonObject {
  const [first] = batch
  const module = text(first?.['module'])
  const operation = text(first?.['operation'])
  const changes = batch.flatMap((row) => {
    const values: unknown = JSON.parse(textOrNull(row['changed_values']) ?? 'null')
    return isObject(values) ? [{ id: text(row['record_id']), values }] : []
  })
  const words: { [operation: string]: string } = {
    create: 'insert',
    edit: 'update',
    delete: sandbox.behaviour().notifyDeleteWord,
  }
  return {
    server_time: sandbox.now(),
    affected_values: first?.['return_values'] === 1 ? changes.map(({ id, values }) => ({ record_id: id, values })) : [],
    query_params: {},
    module,
    resource_uri: `${sandbox.baseUrl()}/crm/v2/${module}`,
    ids: [...new Set(batch.map((row) => text(row['record_id'])))],
    affected_fields: changes.map(({ id, values }) => ({ [id]: Object.keys(values) })),
    operation: words[operation] ?? operation,
    channel_id: text(first?.['channel_id']),
    token: textOrNull(first?.['token']),
  }
}
