import { sql } from 'kysely'
import pino from 'pino'
import { expect, onTestFinished, test, vi } from 'vitest'
import * as z from 'zod/mini'
import type { Deps } from '../../deps.ts'
import { createDatabase } from '../../testing/databases.ts'
import { waitFor } from '../../testing/wait-for.ts'
import { openDatabase } from '../db/database.ts'
import { listen } from '../db/listen.ts'
import { defineJob } from './define-job.ts'
import { openJobQueue } from './job-queue.ts'

interface Options {
  concurrency: number
  hanging: string[]
  firstDelaySeconds?: number
  /** The database of another queue. Without it, the queue gets a database of its own. */
  url?: string
}

/** A queue with one kind of job. A job of a partner in `hanging` ends only with the test. */
async function startQueue({ concurrency, hanging, firstDelaySeconds = 1, ...given }: Options) {
  const url = given.url ?? (await createDatabase()).url
  const log = pino({ level: 'silent' })
  const { db, close } = openDatabase(url, () => undefined)
  const queue = openJobQueue(url, log, 10_000)
  const begun: string[] = []
  const ended: string[] = []
  const end = new AbortController()
  const call = defineJob({
    name: 'call-somebody',
    payload: z.object({ partnerId: z.string() }),
    retry: { firstDelaySeconds, delaySecondsMax: firstDelaySeconds, giveUpAfterDays: 1 },
    concurrency,
    async run(_deps, { partnerId }) {
      begun.push(partnerId)
      if (hanging.includes(partnerId)) await new Promise((resolve) => end.signal.addEventListener('abort', resolve))
      ended.push(partnerId)
    },
  })
  await queue.start([call], { log } as Deps) // the job uses nothing else
  const listening = listen(url, [queue.hearer], { onError: () => undefined, silenceMsMax: 10_000 })
  await listening.connected
  return {
    url,
    begun,
    ended,
    channels: Object.keys(queue.hearer.channels),
    enqueue: (partnerId: string) => queue.enqueue(db, call, { partnerId }),
    /** Adds a job whose worker died a minute ago. */
    addOrphan: (partnerId: string) =>
      db.transaction().execute(async (tx) => {
        await queue.enqueue(tx, call, { partnerId })
        const then = sql`now() - interval '1 minute'`
        await sql`update jobs.job set state = 'active', started_on = ${then}, heartbeat_on = ${then}`.execute(tx)
      }),
    /** Stops the queue while its jobs are running. */
    stop: () => queue.stop(0),
    async [Symbol.asyncDispose]() {
      end.abort()
      await listening.close()
      await queue.stop(1_000)
      await close()
    },
  }
}

test('PostgreSQL names the queue of a new job on the channel that the queue hears', async () => {
  await using queue = await startQueue({ concurrency: 1, hanging: [] })
  const heard: string[] = []
  const channels = Object.fromEntries(queue.channels.map((channel) => [channel, (name: string) => heard.push(name)]))
  const { connected, close } = listen(queue.url, [{ channels, onConnect: () => undefined }], {
    onError: () => undefined,
    silenceMsMax: 10_000,
  })
  await connected
  await queue.enqueue('any')
  await waitFor('the notification', async () => heard.length > 0)
  expect(heard).toEqual(['call-somebody'])
  await close()
})

test('a hanging job delays no other job', async () => {
  await using queue = await startQueue({ concurrency: 2, hanging: ['slow'] })
  await queue.enqueue('slow')
  await waitFor('the slow job to begin', async () => queue.begun.length === 1)
  for (let i = 0; i < 20; i++) await queue.enqueue(`quick ${i}`)
  await waitFor('the quick jobs to end', async () => queue.ended.length === 20)
  expect(queue.ended).not.toContain('slow')
})

test('one partner’s jobs run one at a time, and another partner’s job does not wait for them', async () => {
  await using queue = await startQueue({ concurrency: 2, hanging: ['busy'] })
  for (let i = 0; i < 5; i++) await queue.enqueue('busy')
  await waitFor('a job to begin', async () => queue.begun.length > 0)
  await queue.enqueue('other')
  await waitFor('the job of the other partner', async () => queue.ended.includes('other'))
  expect(queue.begun.filter((partnerId) => partnerId === 'busy')).toHaveLength(1)
})

test('a job whose worker died runs again without the delay of a failed job, even if the machine’s clock was set back', async () => {
  await using queue = await startQueue({ concurrency: 1, hanging: [], firstDelaySeconds: 600 })
  const now = Date.now
  const settingBack = vi.spyOn(Date, 'now').mockImplementation(() => now() - 300_000)
  onTestFinished(() => settingBack.mockRestore())
  await queue.addOrphan('orphan')
  await waitFor('the job to run again', async () => queue.ended.length > 0)
  expect(queue.ended).toEqual(['orphan'])
})

test('a job that a stopping process hands back runs again without the delay of a failed job', async () => {
  await using stopped = await startQueue({ concurrency: 1, hanging: ['unfinished'], firstDelaySeconds: 600 })
  await stopped.enqueue('unfinished')
  await waitFor('the job to begin', async () => stopped.begun.length === 1)
  await stopped.stop()
  await using next = await startQueue({ concurrency: 1, hanging: [], firstDelaySeconds: 600, url: stopped.url })
  await waitFor('the job to run again', async () => next.ended.length > 0)
  expect(next.ended).toEqual(['unfinished'])
})

test('a start writes a schedule only if it is new or has changed', async () => {
  const { url } = await createDatabase()
  const { db, close } = openDatabase(url, () => undefined)
  const queue = openJobQueue(url, pino({ level: 'silent' }), 10_000)
  onTestFinished(async () => {
    await queue.stop(0)
    await close()
  })
  const at = (name: string, schedule: string) =>
    defineJob({
      name,
      payload: z.object({}),
      retry: { firstDelaySeconds: 1, delaySecondsMax: 1, giveUpAfterDays: 1 },
      concurrency: 1,
      schedule,
      run: async () => undefined,
    })
  async function start(...jobs: ReturnType<typeof at>[]) {
    await queue.makeQueues(jobs)
    await queue.startClock(jobs)
    const { rows } = await sql<{ name: string; cron: string; written: string }>`
      select name, cron, xmin::text as written from jobs.schedule order by name`.execute(db)
    return rows
  }

  const [kept, moved] = await start(at('kept', '1 * * * *'), at('moved', '2 * * * *'))
  const after = await start(at('kept', '1 * * * *'), at('moved', '3 * * * *'))
  expect(after).toEqual([
    kept,
    { name: 'moved', cron: '3 * * * *', written: expect.not.stringMatching(moved?.written ?? '') },
  ])
})
