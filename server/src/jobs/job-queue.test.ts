import pino from 'pino'
import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import { openDatabase } from '../db/database.ts'
import type { Deps } from '../deps.ts'
import { createDatabase } from '../testing/databases.ts'
import { waitFor } from '../testing/wait-for.ts'
import { defineJob } from './define-job.ts'
import { openJobQueue } from './job-queue.ts'

/** A queue with one kind of job. A job of a partner in `hanging` ends only with the test. */
async function startQueue({ concurrency, hanging }: { concurrency: number; hanging: string[] }) {
  const own = await createDatabase()
  const log = pino({ level: 'silent' })
  const { db, close } = openDatabase(own.url, () => undefined)
  const queue = openJobQueue(own.url, log, 10_000)
  const begun: string[] = []
  const ended: string[] = []
  const end = new AbortController()
  const call = defineJob({
    name: 'call-somebody',
    payload: z.object({ partnerId: z.string() }),
    retry: { firstDelaySeconds: 1, delaySecondsMax: 1, giveUpAfterDays: 1 },
    concurrency,
    async run(_deps, { partnerId }) {
      begun.push(partnerId)
      if (hanging.includes(partnerId)) await new Promise((resolve) => end.signal.addEventListener('abort', resolve))
      ended.push(partnerId)
    },
  })
  await queue.start([call], { log } as Deps) // the job uses nothing else
  return {
    begun,
    ended,
    enqueue: (partnerId: string) => queue.enqueue(db, call, { partnerId }),
    async [Symbol.asyncDispose]() {
      end.abort()
      await queue.stop(1_000)
      await close()
    },
  }
}

test('a hanging job delays no other job', async () => {
  await using queue = await startQueue({ concurrency: 2, hanging: ['slow'] })
  await queue.enqueue('slow')
  await waitFor('the slow job to begin', async () => queue.begun.length === 1)
  for (let i = 0; i < 20; i++) await queue.enqueue(`quick ${i}`)
  await waitFor('the quick jobs to end', async () => queue.ended.length === 20)
  expect(queue.ended).not.toContain('slow')
})

test('one partner’s jobs run one at a time, and another partner’s job runs meanwhile', async () => {
  await using queue = await startQueue({ concurrency: 2, hanging: ['busy'] })
  for (let i = 0; i < 5; i++) await queue.enqueue('busy')
  await waitFor('a job to begin', async () => queue.begun.length > 0)
  await queue.enqueue('other')
  await waitFor('the job of the other partner', async () => queue.ended.includes('other'))
  expect(queue.begun.filter((partnerId) => partnerId === 'busy')).toHaveLength(1)
})
