import { setTimeout as sleep } from 'node:timers/promises'
import type { Load } from './load.ts'
import { until } from './processes.ts'
import type { Stage } from './stage.ts'
import type { Versions } from './versions.ts'

const STEADY_MS = 8_000
/** The goals for restarts and upgrades are set for this many requests. */
const REQUESTS = 10_000
const FROZEN_MS = 20_000
const PROMOTED_AFTER_MS = 2_000
const BACK_SECONDS_MAX = 10
/** How long the disk stays full. */
const FULL_MS = 10_000

export interface Scene {
  stage: Stage
  load: Load
  versions: Versions
  fault(text: string): void
}

export interface Act {
  /** The name by which `--only` chooses this act. */
  key: string
  name: string
  /** The HAProxy instance that receives the load: `plain` never retries, and `haproxy` is configured as in deploy/. */
  balancer: 'plain' | 'haproxy'
  /** The requests that the goal allows to fail. Writes are the submissions, which HAProxy never sends twice. */
  mayFail: 'nothing' | 'writes' | 'anything'
  /**
   * Plays the act and returns the time from which the recovery is timed: when a process of the portal was killed, or
   * when any other trouble ended.
   */
  work(scene: Scene): Promise<number>
}

export const ACTS: readonly Act[] = [
  {
    key: 'steady',
    name: 'nothing happens',
    balancer: 'plain',
    mayFail: 'nothing',
    async work() {
      await sleep(STEADY_MS)
      return Date.now()
    },
  },
  {
    key: 'upgrade',
    name: 'rolling upgrades and downgrades',
    balancer: 'plain',
    mayFail: 'nothing',
    async work({ stage, load, versions: { former, present } }) {
      stage.migrate(present)
      await restartAll(stage, present)
      do {
        // Going back means running the former version on the new schema.
        await restartAll(stage, former)
        await restartAll(stage, present)
      } while (load.requests() < REQUESTS)
      return Date.now()
    },
  },
  {
    key: 'restart',
    name: 'rolling restarts',
    balancer: 'plain',
    mayFail: 'nothing',
    async work({ stage, load }) {
      do await restartAll(stage)
      while (load.requests() < REQUESTS)
      return Date.now()
    },
  },
  {
    key: 'kill-web',
    name: 'kill -9 of a web process',
    balancer: 'haproxy',
    mayFail: 'writes',
    async work({ stage }) {
      const killedAt = Date.now()
      await stage.restartWeb(0, { signal: 'SIGKILL' })
      return killedAt
    },
  },
  {
    key: 'kill-worker',
    name: 'kill -9 of the worker',
    balancer: 'plain',
    mayFail: 'nothing',
    async work({ stage }) {
      const killedAt = Date.now()
      await stage.restartWorker({ signal: 'SIGKILL' })
      return killedAt
    },
  },
  {
    key: 'freeze',
    name: 'primary frozen for 20 s',
    balancer: 'haproxy',
    mayFail: 'anything',
    async work({ stage: { postgres }, load, fault }) {
      postgres.freezePrimary()
      await sleep(FROZEN_MS)
      postgres.thawPrimary()
      const thawedAt = Date.now()
      await backIn(load, thawedAt, fault)
      return thawedAt
    },
  },
  {
    key: 'log-disk',
    name: "no room for a process's log",
    balancer: 'plain',
    mayFail: 'nothing',
    async work({ stage }) {
      // Every write to this log fails, as on a full disk.
      await stage.restartWeb(0, { log: '/dev/full' })
      await sleep(FULL_MS)
      await stage.restartWeb(0)
      return Date.now()
    },
  },
  {
    key: 'wal-disk',
    name: "no room for PostgreSQL's log",
    balancer: 'haproxy',
    mayFail: 'anything',
    async work({ stage: { postgres }, load, fault }) {
      if (!postgres.fillLogDisk) {
        console.log('  skipped, because no small file system could be mounted (only root may mount one)')
        return Date.now()
      }
      postgres.fillLogDisk()
      const filledAt = Date.now()
      await until('PostgreSQL to run out of space', async () => load.lastFailedAt() > filledAt)
      await sleep(FULL_MS)
      postgres.freeLogDisk()
      const freedAt = Date.now()
      await backIn(load, freedAt, fault)
      return freedAt
    },
  },
  {
    key: 'failover',
    name: 'kill -9 of the primary, promotion',
    balancer: 'haproxy',
    mayFail: 'anything',
    async work({ stage: { postgres }, load, fault }) {
      postgres.killPrimary()
      await sleep(PROMOTED_AFTER_MS)
      postgres.promote()
      const promotedAt = Date.now()
      await backIn(load, promotedAt, fault)
      return promotedAt
    },
  },
  {
    key: 'after',
    name: 'quiet again, without a restart',
    balancer: 'plain',
    mayFail: 'nothing',
    async work() {
      await sleep(STEADY_MS)
      return Date.now()
    },
  },
]

async function restartAll(stage: Stage, code?: string): Promise<void> {
  const how = code ? { code } : {}
  await stage.restartWeb(0, how)
  await stage.restartWeb(1, how)
  await stage.restartWorker(how)
}

/** Waits until a submission is acknowledged after the trouble has ended. Notes a fault if that takes too long. */
async function backIn(load: Load, overAt: number, fault: Scene['fault']): Promise<void> {
  await until('a submission to be acknowledged', async () => load.lastWriteAt() > overAt)
  const seconds = (load.lastWriteAt() - overAt) / 1_000
  console.log(`  the first write was acknowledged ${seconds.toFixed(1)} s later`)
  if (seconds > BACK_SECONDS_MAX) fault(`the first write was acknowledged only after ${seconds.toFixed(0)} s`)
}
