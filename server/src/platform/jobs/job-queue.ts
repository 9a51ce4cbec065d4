import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import {
  type Clock,
  fromKysely,
  type Db as JobDatabase,
  type JobResult,
  PgBoss,
  type Job as PgBossJob,
  type QueueOptions,
  type QueuePolicy,
  type QueueResult,
  type Schedule,
} from 'pg-boss'
import type { Logger } from 'pino'
import type { Deps } from '../../deps.ts'
import { poolSettings } from '../db/connection.ts'
import { newId } from '../db/ids.ts'
import type { Hearer } from '../db/listen.ts'
import type { Write } from '../db/write-together.ts'
import { servedPartner } from '../served-partner.ts'
import { currentTrace, inSpan, inTrace, readTraceparent, type Trace, traceOf, traceparent } from '../trace.ts'
import { GiveUp, type Job, NotYet, type Retry } from './define-job.ts'
import type { JobQueue, QueuedJob } from './enqueue-job.ts'

export interface Worker extends JobQueue {
  /** Hears of new jobs, which begin at once. Without it they wait for the next look, at most two seconds. */
  hearer: Hearer
  /** Creates the missing queues. A job can be enqueued only if its queue exists. */
  makeQueues(jobs: readonly Job[]): Promise<void>
  /** Creates the missing queues and begins to run jobs. */
  start(jobs: readonly Job[], deps: Deps): Promise<void>
  /** Enqueues the jobs that run at the start, and from now on the jobs with a schedule. */
  startClock(jobs: readonly Job[]): Promise<void>
  /** Rejects unless the database answers over the queue's own connections. */
  reachDatabase(): Promise<void>
  /** Waits at most `timeoutMs` for running jobs to end. Unfinished jobs return to the queue and run again (D4). */
  stop(timeoutMs: number): Promise<void>
}

/** The queue finds jobs and stores their results over these connections. The jobs' own work uses other connections. */
const CONNECTIONS_MAX = 2
const SCHEMA = 'jobs'
/** The channel on which pg-boss names the queue of a new job (`notifyChannelSql` in pg-boss). */
const CHANNEL = `pgboss_${createHash('sha224').update(SCHEMA).digest('hex').slice(0, 24)}`
const DAY_SECONDS = 86_400
/** A job whose worker died fails after about this time. */
const HEARTBEAT_SECONDS = 10
const LOOK_FOR_THE_DEAD_SECONDS = 5
/**
 * If its worker died or was stopped, a job waits only this long before it runs again, because another job or a restart
 * probably ended the worker. In this time a worker that was only silent notices that it has lost its job.
 */
const ORPHAN_DELAY_SECONDS = 5
/** How pg-boss describes the failure of a job whose worker died, and of one whose worker was stopped. */
const ORPHAN_OUTPUTS = ['job heartbeat timeout', 'pg-boss shut down while active']
/** After this many retries, a job whose worker ended waits as long as a failed job. It may be killing its workers. */
const QUICK_RETRIES = 3
/**
 * The portal looks this often for due retries and given-up jobs, because PostgreSQL does not notify workers of them.
 */
const LOOK_FOR_RETRIES_MS = 2_000
/** A job that was due while no process ran is enqueued once. */
const SCHEDULED = { missed: 'once' } as const
/** How often an idle place looks by itself. The portal wakes it when there is a job. */
const IDLE_LOOK_SECONDS = 60

/**
 * pg-boss's timers ask the clock whether they are due, so a clock that was set back would stop them for as long. This one
 * goes on by the processor's clock. pg-boss hands back the timers that it got.
 */
const STEADY: Clock = {
  now: () => performance.timeOrigin + performance.now(),
  setTimeout,
  // oxlint-disable-next-line typescript/consistent-type-assertions -- the timer is one of setTimeout above
  clearTimeout: (timer) => clearTimeout(timer as NodeJS.Timeout),
  setInterval,
  // oxlint-disable-next-line typescript/consistent-type-assertions -- the timer is one of setInterval above
  clearInterval: (timer) => clearInterval(timer as NodeJS.Timeout),
}

/** If `isWorking` is false, this process enqueues jobs and leaves everything else to other processes. */
export function openJobQueue(databaseUrl: string, log: Logger, statementMsMax: number, isWorking = true): Worker {
  const boss = new PgBoss({
    ...poolSettings(databaseUrl, { connectionsMax: CONNECTIONS_MAX, statementMsMax }),
    supervise: isWorking,
    schedule: isWorking,
    schema: SCHEMA,
    clock: STEADY,
    // How often a process looks for jobs whose heartbeat has stopped. The default of both settings is a minute.
    superviseIntervalSeconds: LOOK_FOR_THE_DEAD_SECONDS,
    monitorIntervalSeconds: LOOK_FOR_THE_DEAD_SECONDS,
  })
  let isClosing = false
  boss.on('error', (error) => {
    // The database may stop before the last connection is closed.
    if (!isClosing) log.error({ err: error }, 'the job queue reported an error')
  })
  let queues: ReadonlyMap<string, WorkedQueue> = new Map()
  const stopping = new AbortController()

  async function makeQueues(jobs: readonly Job[]): Promise<void> {
    await boss.start()
    const known = await boss.getQueues()
    await Promise.all(jobs.map((job) => ensureQueuesOf(boss, job, known)))
  }

  async function lookForDue(): Promise<void> {
    try {
      for (const name of await findDueQueues(boss, [...queues.keys()])) queues.get(name)?.look()
    } catch (error) {
      if (!stopping.signal.aborted) log.error({ err: error }, 'the job queue reported an error')
    }
  }

  async function keepLooking(): Promise<void> {
    const { signal } = stopping
    while (await sleep(LOOK_FOR_RETRIES_MS, true, { signal }).catch(() => false)) await lookForDue()
  }

  async function send<Payload extends object>(
    db: JobDatabase,
    job: QueuedJob<Payload>,
    payload: Payload,
    afterSeconds?: number,
  ): Promise<void> {
    const singletonKey = job.key?.(payload)
    const trace = currentTrace()
    const data = trace ? { ...payload, traceparent: traceparent(trace) } : payload
    await boss.send(job.name, data, {
      // In the order of time, as the ids of mails are.
      id: newId(),
      db,
      ...(singletonKey !== undefined && { singletonKey }),
      ...(afterSeconds !== undefined && { startAfter: afterSeconds }),
      ...('partnerId' in payload && { group: { id: String(payload.partnerId) } }),
    })
  }

  return {
    enqueue: (tx, job, payload, afterSeconds) => send(fromKysely(tx), job, payload, afterSeconds),
    async insertOf(job, payload) {
      const statement: Write = { sql: '', parameters: [] }
      const keeping = {
        async executeSql(sql: string, parameters: unknown[] = []) {
          Object.assign(statement, { sql, parameters })
          return { rows: [] }
        },
      }
      await send(keeping, job, payload)
      return statement
    },
    async removeDone(db, { name }, partnerId, loids) {
      if (loids.length === 0) return
      await sql`
        delete from jobs.job
         where name = ${name} and state < 'active' and group_id = ${partnerId} and data ->> 'loid' = any(${loids})`.execute(
        db,
      )
    },
    async hasten(db, records) {
      if (records.length === 0) return
      await sql`
        update jobs.job set start_after = now()
         where state < 'active' and start_after > now()
           and coalesce(data ->> 'loid', data ->> 'noteId', data ->> 'documentId') = any(${records}::text[])`.execute(
        db,
      )
    },
    hearer: {
      channels: { [CHANNEL]: (name) => queues.get(name)?.look() },
      onConnect: () => void lookForDue(),
    },
    makeQueues,
    async start(jobs, deps) {
      await makeQueues(jobs)
      queues = new Map(jobs.flatMap((job) => queuesOf(boss, job, deps, stopping.signal)))
      void keepLooking()
    },
    async startClock(jobs) {
      const known = await boss.getSchedules()
      await Promise.all(
        jobs.map(async ({ name, schedule, runsAtStart }) => {
          const isKnown = ({ name: of, cron, options }: Schedule) =>
            of === name && cron === schedule && isDeepStrictEqual(options, SCHEDULED)
          if (schedule && !known.some(isKnown)) await boss.schedule(name, schedule, {}, SCHEDULED)
          if (runsAtStart) await boss.send(name, {})
        }),
      )
    },
    async reachDatabase() {
      await boss.getDb().executeSql('select 1')
    },
    async stop(timeoutMs) {
      stopping.abort()
      // A graceful stop of pg-boss also waits, but checks only every half second whether the last job has ended.
      const ended = Promise.all(Array.from(queues.keys(), (name) => boss.offWork(name)))
      await Promise.race([ended, sleep(timeoutMs, undefined, { ref: false })])
      isClosing = true
      await boss.stop({ graceful: false })
    },
  }
}

interface WorkedQueue {
  /** Makes an idle worker of this queue look for a job now, or opens another worker if all are busy. */
  look(): void
}

/**
 * Finds the queues that have jobs to fetch, in one statement. Letting each queue look by itself would take forty
 * statements. Also hastens jobs whose worker died or was stopped, which it recognises by their output.
 */
async function findDueQueues(boss: PgBoss, names: string[]): Promise<string[]> {
  const { rows } = await boss.getDb().executeSql(
    `with orphans as (
       select name, id from jobs.job
        where name = any($1) and state = 'retry' and not blocked and retry_count < $2
          and start_after > now() + $3 * interval '1 second'
          and coalesce(output #>> '{value,message}', output ->> 'value') = any($4)
          for update skip locked),
     hastened as (
       update jobs.job set start_after = now() + $3 * interval '1 second' from orphans
        where job.name = orphans.name and job.id = orphans.id)
     select name from unnest($1::text[]) as queues (name) where exists (
       select from jobs.job where job.name = queues.name and state < 'active' and not blocked and start_after <= now())`,
    [names, QUICK_RETRIES, ORPHAN_DELAY_SECONDS, ORPHAN_OUTPUTS],
  )
  return rows.map(({ name }) => String(name))
}

async function ensureQueuesOf(boss: PgBoss, job: Job, known: readonly QueueResult[]): Promise<void> {
  const givenUp = givenUpOf(job)
  await ensureQueue(boss, known, givenUp, { retryLimit: 5, retryDelay: 10, retryBackoff: true })
  // A scheduled job that is still running is not started a second time.
  const policy = job.schedule ? 'stately' : job.key ? 'short' : 'standard'
  await ensureQueue(boss, known, job.name, { ...retryOptions(job.retry), policy, deadLetter: givenUp })
}

function queuesOf(boss: PgBoss, job: Job, deps: Deps, stopping: AbortSignal): [name: string, queue: WorkedQueue][] {
  const queue = makePlaces(boss, job.name, job.concurrency, stopping, (one) => runOne(job, deps, one))
  const givenUp = makePlaces(boss, givenUpOf(job), 1, stopping, (one) =>
    settle(one, deps, async () => {
      deps.log.error({ job: job.name, payload: idsIn(one.data) }, 'job given up')
      await job.giveUp?.(deps, job.payload.parse(one.data))
    }),
  )
  return [
    [job.name, queue],
    [givenUpOf(job), givenUp],
  ]
}

/**
 * A place is a worker of pg-boss that runs one job at a time. A place that takes a job wakes another place, because
 * there may be more jobs. A place that finishes a job looks for the next job at once. Idle places sleep until `look`
 * wakes one. A place is opened only when all others are busy, so a queue without jobs has none.
 */
function makePlaces(
  boss: PgBoss,
  queue: string,
  countMax: number,
  stopping: AbortSignal,
  run: (one: PgBossJob<unknown>) => Promise<JobResult>,
): WorkedQueue {
  const idle = new Set<string>()
  let count = 0

  function look(): void {
    const [place] = idle
    if (place !== undefined) boss.notifyWorker(place)
    // If opening fails, the next `look` tries again.
    else if (count < countMax && !stopping.aborted) openPlace().catch(() => (count -= 1))
  }

  async function openPlace(): Promise<void> {
    count += 1
    const options = {
      perJobResults: true,
      batchSize: 1,
      localGroupConcurrency: 1,
      pollingIntervalSeconds: IDLE_LOOK_SECONDS,
    } as const
    const place = await boss.work(queue, options, async (jobs) => {
      idle.delete(place)
      look()
      const results = await Promise.all(jobs.map(run))
      idle.add(place)
      boss.notifyWorker(place)
      return results
    })
    idle.add(place)
  }

  return { look }
}

function runOne(job: Job, deps: Deps, one: PgBossJob<unknown>): Promise<JobResult> {
  const run = () => job.run(deps, job.payload.parse(one.data), one.signal, one.id)
  const { partnerId } = Object(one.data)
  return settle(one, deps, () => (typeof partnerId === 'string' ? servedPartner.run(partnerId, run) : run()))
}

async function settle(one: PgBossJob<unknown>, deps: Deps, run: () => Promise<void>): Promise<JobResult> {
  return inTrace({ ...traceOfJob(one), spans: deps.spans }, async () => {
    try {
      await inSpan({ name: one.name, kind: 'consumer', attributes: { 'portal.job.retry': one.retryCount } }, run)
      return { id: one.id, status: 'completed' }
    } catch (error) {
      const about = { job: one.name, id: one.id, payload: idsIn(one.data), retry: one.retryCount }
      const message = error instanceof Error ? error.message : String(error)
      if (error instanceof NotYet) deps.log.debug(about, `job waits: ${message}`)
      else deps.log.warn({ err: error, ...about }, 'job failed')
      return { id: one.id, status: error instanceof GiveUp ? 'deadletter' : 'failed', output: { message } }
    }
  })
}

/** The part of a payload that a log may show. The rest may have a person's email or IP address. */
function idsIn(payload: unknown): object {
  return Object.fromEntries(Object.entries(Object(payload)).filter(([name]) => name === 'loid' || /Ids?$/.test(name)))
}

/** The trace of the request that enqueued the job, or a new trace with the job's own id. */
function traceOfJob({ id, data }: PgBossJob<unknown>): Trace {
  return readTraceparent(Object(data).traceparent) ?? traceOf(id)
}

/** The queue of given-up jobs: their last retry has failed, or they threw `GiveUp`. */
function givenUpOf(job: Job): string {
  return `${job.name}.given-up`
}

/**
 * Creates the queue if it is not among the `known` queues. Updates its options if they differ, but never its policy.
 */
async function ensureQueue(
  boss: PgBoss,
  known: readonly QueueResult[],
  name: string,
  { policy, ...options }: QueueOptions & { deadLetter?: string; policy?: QueuePolicy },
): Promise<void> {
  const wanted = { ...options, notify: true, heartbeatSeconds: HEARTBEAT_SECONDS }
  const queue = known.find((one) => one.name === name)
  if (!queue) await boss.createQueue(name, { ...wanted, policy })
  else if (!isDeepStrictEqual({ ...queue, ...wanted }, queue)) await boss.updateQueue(name, wanted)
}

function retryOptions(retry: Retry): QueueOptions {
  const giveUpAfterSeconds = retry.giveUpAfterDays * DAY_SECONDS
  return {
    retryLimit: retriesWithin(retry, giveUpAfterSeconds),
    retryDelay: retry.firstDelaySeconds,
    retryDelayMax: retry.delaySecondsMax,
    retryBackoff: true,
    // A job that waits for its retry must not be deleted before it is given up.
    retentionSeconds: giveUpAfterSeconds + 2 * DAY_SECONDS,
    deleteAfterSeconds: DAY_SECONDS,
  }
}

/** How many retries with doubling delays fill the time. pg-boss limits the number of retries, but D23 sets a time. */
function retriesWithin({ firstDelaySeconds, delaySecondsMax }: Retry, seconds: number): number {
  let retries = 0
  for (let spent = 0; spent < seconds; retries++) {
    spent += Math.min(delaySecondsMax, firstDelaySeconds * 2 ** Math.min(retries, 16))
  }
  return retries
}
