import type pg from 'pg'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { BUILD } from '../build.ts'
import type { Replica } from '../db/replica.ts'
import type { Answered } from '../http/server.ts'
import { type ProcessLimits, readFreeBytes } from './process-limits.ts'

/** The metrics that this process can measure by itself. */
export interface ProcessMetrics {
  registry: Registry
  count(answered: Answered): void
}

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
/** How often Node samples its event loop. */
const LOOP_MS = 20

export function openProcessMetrics(sources: {
  pools: Record<string, Pick<pg.Pool, 'totalCount' | 'idleCount' | 'waitingCount'>>
  crmCalls(): number
  liveStreams(): number
  replica: Pick<Replica, 'answered' | 'lagMs'> | undefined
  limits: ProcessLimits
  dataDir: string
}): ProcessMetrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LOOP_MS })

  new Gauge({
    name: 'portal_build_info',
    help: 'Always 1. The labels name the version that runs, and its commit if the build knew it.',
    labelNames: ['version', 'commit'],
    registers,
  }).set({ version: BUILD.version, commit: BUILD.commit ?? '' }, 1)
  const requests = new Counter({
    name: 'portal_http_requests_total',
    help: 'Answered requests, by the route as the contract writes it.',
    labelNames: ['method', 'route', 'status'],
    registers,
  })
  const seconds = new Histogram({
    name: 'portal_http_request_duration_seconds',
    help: 'Time from the head of a request to the end of its answer.',
    labelNames: ['method', 'route'],
    buckets: SECONDS,
    registers,
  })
  new Gauge({
    name: 'portal_pool_connections',
    help: 'Connections to the database that are used or idle, and callers that wait for a connection.',
    labelNames: ['pool', 'state'],
    registers,
    collect() {
      for (const [pool, { totalCount, idleCount, waitingCount }] of Object.entries(sources.pools)) {
        this.set({ pool, state: 'used' }, totalCount - idleCount)
        this.set({ pool, state: 'idle' }, idleCount)
        this.set({ pool, state: 'waiting' }, waitingCount)
      }
    },
  })
  new Counter({
    name: 'portal_crm_calls_total',
    help: 'Calls that this process has made to the CRM, including calls that the CRM refused.',
    registers,
    collect() {
      this.reset()
      this.inc(sources.crmCalls())
    },
  })

  new Gauge({
    name: 'portal_live_streams',
    help: 'Open pages with a live stream.',
    registers,
    collect() {
      this.set(sources.liveStreams())
    },
  })
  new Gauge({
    name: 'portal_connections_max',
    help: 'Connections from callers that this process accepts: CONNECTIONS_MAX, or fewer if its limits are lower.',
    registers,
  }).set(sources.limits.connectionsMax)
  new Gauge({
    name: 'portal_memory_limit_bytes',
    help: 'The memory that this process may use: the limit of its container, or the machine’s memory.',
    registers,
  }).set(sources.limits.memoryBytes)
  new Gauge({
    name: 'portal_disk_free_bytes',
    help: 'Free bytes on the disk of DATA_DIR.',
    registers,
    async collect() {
      this.set((await readFreeBytes(sources.dataDir)) ?? Number.NaN)
    },
  })
  if (sources.replica) measureReplica(sources.replica, registers)

  return {
    registry,
    count({ method, route = 'none', status, ms }) {
      requests.inc({ method, route, status })
      seconds.observe({ method, route }, ms / 1_000)
    },
  }
}

function measureReplica({ answered, lagMs }: Pick<Replica, 'answered' | 'lagMs'>, registers: Registry[]): void {
  new Counter({
    name: 'portal_replica_reads_total',
    help: 'Reads that the replica may answer, by the database that answered them.',
    labelNames: ['answered_by'],
    registers,
    collect() {
      this.reset()
      for (const [database, reads] of Object.entries(answered)) this.inc({ answered_by: database }, reads)
    },
  })
  new Gauge({
    name: 'portal_replica_lag_seconds',
    help: 'The longest time that a write on the primary may have been missing from the replica.',
    registers,
    collect() {
      this.set(lagMs() / 1_000)
    },
  })
}
