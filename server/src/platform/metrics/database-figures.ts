import { setTimeout as sleep } from 'node:timers/promises'
import { Gauge, Registry } from 'prom-client'
import type { Deps } from '../../deps.ts'
import {
  countDeliveriesOfAllPartners,
  countHiddenRecords,
  countJobs,
  countPartnersOverShare,
  findCrmUse,
  findSweepAge,
} from './database-figures.queries.ts'

/** The figures of a scrape can be this old. */
const FRESH_MS = 10_000
/** A scrape waits at most this long for the database. */
const READ_MS_MAX = 2_000

/**
 * Reads the figures that only the database has, in the text format of Prometheus. Simultaneous scrapes share one
 * reading. If the database fails or takes too long, its figures are left out and `portal_database_up` is 0.
 */
export function openDatabaseFigures(deps: Pick<Deps, 'db' | 'config' | 'log'>): () => Promise<string> {
  let reading: Promise<string | undefined> | undefined
  let known = { text: '', atMs: Number.NEGATIVE_INFINITY }

  async function read(): Promise<string | undefined> {
    try {
      const text = await readFigures(deps)
      known = { text, atMs: performance.now() }
      return text
    } catch (error) {
      deps.log.warn({ err: error }, 'metrics: the database does not answer')
      return undefined
    } finally {
      reading = undefined
    }
  }

  return async () => {
    if (performance.now() - known.atMs < FRESH_MS) return `${known.text}${await isUp(1)}`
    reading ??= read()
    const text = await Promise.race([reading, sleep(READ_MS_MAX, undefined, { ref: false })])
    return `${text ?? ''}${await isUp(text === undefined ? 0 : 1)}`
  }
}

function isUp(value: 0 | 1): Promise<string> {
  const registry = new Registry()
  gaugeOf(registry, 'portal_database_up', 'Whether the database’s figures could be read.').set(value)
  return registry.metrics()
}

async function readFigures({ db, config }: Pick<Deps, 'db' | 'config'>): Promise<string> {
  const [jobs, sweepAge, deliveries, crm, overShare, hidden] = [
    await countJobs(db),
    await findSweepAge(db),
    await countDeliveriesOfAllPartners(db),
    await findCrmUse(db),
    await countPartnersOverShare(db, config.zohoCreditsPerDay),
    await countHiddenRecords(db),
  ]
  // The gauges are new each time, so that a queue without jobs has no line.
  const registry = new Registry()
  const labelled = new Gauge({
    name: 'portal_jobs',
    help: 'Jobs by queue and state: created and retry jobs wait, active jobs run, failed jobs were given up.',
    labelNames: ['queue', 'state'],
    registers: [registry],
  })
  const oldest = new Gauge({
    name: 'portal_jobs_oldest_seconds',
    help: 'Seconds since the oldest waiting job became due.',
    labelNames: ['queue'],
    registers: [registry],
  })
  const set = (name: string, help: string, value: number | null) => {
    if (value !== null) gaugeOf(registry, name, help).set(value)
  }
  const ages = new Map<string, number>()
  for (const { queue, state, jobs: count, oldest_seconds } of jobs) {
    labelled.set({ queue, state }, count)
    if (oldest_seconds !== null) ages.set(queue, Math.max(oldest_seconds, ages.get(queue) ?? 0))
  }
  for (const [queue, seconds] of ages) oldest.set({ queue }, seconds)
  const mails = jobs.filter(
    ({ queue, state }) =>
      /^(?:mail-.*|send-news-mail)(?<!\.given-up)$/.test(queue) && /^(?:created|retry)$/.test(state),
  )
  set(
    'portal_mails_waiting',
    'Jobs that wait to send a mail, for the first time or again.',
    mails.reduce((sum, one) => sum + one.jobs, 0),
  )
  set(
    'portal_sweep_age_seconds',
    'Seconds since a sweep last read all changes in the CRM, or since the database was made.',
    sweepAge,
  )
  set('portal_deliveries_waiting', 'Unfinished deliveries to endpoints.', deliveries.waiting)
  set('portal_deliveries_due', 'Deliveries whose next attempt should be under way.', deliveries.due)
  set(
    'portal_deliveries_oldest_due_seconds',
    'Seconds since the oldest due delivery became due.',
    deliveries.oldest_seconds,
  )
  set('portal_crm_calls_24h', 'Calls of all processes to the CRM in 24 hours.', crm.calls)
  set(
    'portal_crm_credits_24h',
    'The credits that the calls of all processes cost in 24 hours, by the CRM’s price list.',
    crm.credits,
  )
  set(
    'portal_crm_credits_per_day',
    'The credits that the organisation’s edition includes (ZOHO_CREDITS_PER_DAY).',
    config.zohoCreditsPerDay,
  )
  set(
    'portal_crm_credits_left',
    'The credits left, as the CRM reported in the last ten minutes; absent while more than half are left.',
    crm.credits_left,
  )
  set(
    'portal_crm_partners_over_share',
    'Partners whose calls cost more than a fifth of a day’s credits in 24 hours. `crm check` names them.',
    overShare,
  )
  set(
    'portal_crm_hidden_records',
    'Leads and deals that the CRM does not show and does not name as deleted. The portal keeps them.',
    hidden,
  )
  return registry.metrics()
}

function gaugeOf(registry: Registry, name: string, help: string): Gauge {
  return new Gauge({ name, help, registers: [registry] })
}
