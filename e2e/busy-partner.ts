// For the pictures in docs/screens: makes the demo's partner look as if its systems had used the portal for some days.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Product } from '../bench/product.ts'
import { generateApiKey } from '../contract/src/api-keys.ts'
import { listDeals } from '../contract/src/deals.ts'
import { listLeads } from '../contract/src/leads.ts'
import { listWebhookLogs, sendTestEvent, type WebhookLog } from '../contract/src/webhooks.ts'
import { actAsStaff, pullFromCrm } from './lender.ts'
import { startReceiver } from './receiver.ts'

/** The pictures show this address instead of the receiver's. */
const ENDPOINT = 'https://hooks.harbourfinance.example/portal'
const DAYS = 6
const OYSTERS = {
  business_name: 'Hawkesbury Oyster Co',
  first_name: 'Leila',
  last_name: 'Farrugia',
  email: 'leila@hawkesburyoysters.example',
  phone: '02 5550 1471',
  loan_amount: 64_000,
  loan_type: 'Equipment Financing',
}
const COACHES = {
  business_name: 'Yarra Glen Coaches',
  deal_name: 'Yarra Glen Coaches – Equipment Financing',
  first_name: 'Will',
  last_name: 'Okoye',
  email: 'will@yarraglencoaches.example',
  phone: '03 5550 1390',
  amount: 240_000,
  loan_type: 'Equipment Financing',
}
const LOOK_EVERY_MS = 50
/** How long to wait for a delivery. A second attempt follows five seconds after a failed first one. */
const DELIVERED_MS_MAX = 30_000
/**
 * The columns whose times are moved into the past. A key's last use is not among them, because it is stored only to the
 * minute.
 */
const TIMES = [
  ['events', 'created_at'],
  ['webhook_endpoints', 'created_at'],
  ['webhook_logs', 'created_at'],
  ['webhook_attempts', 'started_at'],
  ['api_keys', 'created_at'],
  ['leads', 'created_at'],
  ['leads', 'converted_at'],
  ['deals', 'created_at'],
  ['history_entries', 'changed_time'],
  ['notes', 'created_at'],
]

/**
 * Makes real calls as the partner's system, as the lender and as the web app. Afterwards it moves the times of the new
 * rows into the past, and replaces the receiver's address.
 */
export async function keepPartnerBusy({ url, crmUrl, pool }: Product, token: string): Promise<void> {
  const startedAt = new Date()
  await using receiver = await startReceiver()
  const { leads } = listLeads.answer.parse(await ask('GET', '/dashboard/leads'))
  const { deals } = listDeals.answer.parse(await ask('GET', '/dashboard/deals'))
  // Takes the last record of a list, because it is older than the new events.
  const leadWith = (status: string) => `/leads/${leads.findLast((lead) => lead.lead_status === status)?.loid}`
  const dealAt = (stage: string) => `/deals/${deals.findLast((deal) => deal.stage === stage)?.loid}`

  await ask('PUT', '/dashboard/webhook-url', { webhook_url: receiver.url })
  const { api_key: key } = generateApiKey.answer.parse(await ask('POST', '/dashboard/generate-api-key'))
  const test = sendTestEvent.answer.parse(await ask('POST', '/dashboard/webhook-test'))
  await untilDelivered()
  await submit('/partner/leads', OYSTERS)
  await asLender(leadWith('New Lead'), 'status', { status: 'Contacted' })
  await submit('/webhook/lead', { ...OYSTERS, business_name: undefined })
  await asLender(dealAt('Pending Approval'), 'stage', { stage: 'Approved' })
  receiver.status = 503
  await asLender(dealAt('Approved'), 'stage', { stage: 'Funded' }, ({ attempts }) => attempts > 0)
  receiver.status = 200
  await untilDelivered()
  await asLender(leadWith('Pre Call'), 'notes', {
    title: 'Call',
    content: 'Spoke to the owner, statements are coming.',
  })
  await submit('/webhook/deal', COACHES)
  await asLender(leadWith('Pre Qualified'), 'convert', {
    name: 'Wide-format printer',
    amount: '58000',
    stage: 'Information Received',
  })
  receiver.status = 500
  const toBeTriedAgain = ({ attempts }: WebhookLog) => attempts > 0
  await asLender(dealAt('Information Received'), 'stage', { stage: 'Consulting With Client' }, toBeTriedAgain)
  receiver.status = 200
  await ask('POST', `/dashboard/webhook-logs/${test.id}/redeliver`)
  await untilDelivered(({ id }) => id !== test.id)
  await ask('GET', '/partner/docs', undefined, key)
  await letDaysPass()

  async function ask(method: string, path: string, body?: object, bearer = token): Promise<unknown> {
    const answer = await fetch(`${url}/api${path}`, {
      method,
      headers: { authorization: `Bearer ${bearer}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    const content: unknown = await answer.json()
    return typeof content === 'object' && content && 'data' in content ? content.data : undefined
  }

  /** Submits with the API key. The portal refuses a body without a business name, and the log shows the refusal. */
  async function submit(path: string, body: object): Promise<void> {
    await ask('POST', path, body, key)
    await untilDelivered()
  }

  async function asLender(
    record: string,
    what: string,
    form: Record<string, string>,
    mayWait?: (log: WebhookLog) => boolean,
  ): Promise<void> {
    const known = receiver.received.length
    await actAsStaff(`${record}/${what}`, form, crmUrl)
    await pullFromCrm(token, url)
    await until(async () => receiver.received.length > known)
    await untilDelivered(mayWait)
  }

  async function untilDelivered(mayWait?: (log: WebhookLog) => boolean): Promise<void> {
    await until(async () => {
      const logs = listWebhookLogs.answer.parse(await ask('GET', '/dashboard/webhook-logs'))
      return logs.every((log) => log.direction === 'inbound' || log.status === 'success' || mayWait?.(log))
    })
  }

  /** Stretches the times of this run over several days. Their order and proportions stay the same. */
  async function letDaysPass(): Promise<void> {
    const endedAt = new Date()
    const stretch = (DAYS * 86_400_000) / (endedAt.getTime() - startedAt.getTime())
    for (const [table, column] of TIMES) {
      const then = `$2::timestamptz - ($2::timestamptz - ${column}) * $3::float8`
      await pool.query(`update ${table} set ${column} = ${then} where ${column} > $1`, [startedAt, endedAt, stretch])
    }
    await pool.query('update webhook_logs set endpoint = $2 where endpoint = $1', [receiver.url, ENDPOINT])
    await pool.query('update webhook_endpoints set url = $2 where url = $1', [receiver.url, ENDPOINT])
    // Postpones the next attempts, so that none is made while pictures are taken.
    await pool.query("update webhook_logs set next_attempt_at = next_attempt_at + interval '1 hour'")
  }
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + DELIVERED_MS_MAX
  while (!(await isTrue())) {
    if (performance.now() > deadline) throw new Error('the partner’s endpoint did not get the events')
    await sleep(LOOK_EVERY_MS)
  }
}
