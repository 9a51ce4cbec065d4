import { setTimeout as sleep } from 'node:timers/promises'
import autocannon from 'autocannon'
import pg from 'pg'
import { connectionSettings } from '../server/src/platform/db/connection.ts'
import type { Product } from './product.ts'
import type { RecordedCall } from './recorded-statements.ts'

export interface Measured {
  perSecond: number
  p50: number
  p99: number
  /** The server's CPU time for one request; unknown for the driver. */
  cpuMs: number
}

export interface HttpRequest {
  path: string
  method?: 'GET' | 'POST'
  headers: Record<string, string>
  body?: string
}

export interface Load {
  concurrency: number
  seconds: number
  /**
   * How many requests begin a second, however long the answers take. A request that could begin only late counts from
   * when it should have begun (coordinated omission). If absent, each caller asks again once it is answered.
   */
  rate?: number
}

const JOBS_MS_MAX = 120_000
const LOOK_EVERY_MS = 100

export function bearer({ token }: { token: string }): { authorization: string } {
  return { authorization: `Bearer ${token}` }
}

/** The same request, with what a browser says that it can unpack. */
export function asBrowser(request: HttpRequest): HttpRequest {
  return { ...request, headers: { ...request.headers, 'accept-encoding': 'gzip, deflate, br, zstd' } }
}

export async function loadOverHttp(
  { url, cpuMs }: Pick<Product, 'url' | 'cpuMs'>,
  requests: HttpRequest[],
  { concurrency, seconds, rate }: Load,
): Promise<Measured> {
  const cpuMsBefore = cpuMs()
  const result = await autocannon({
    url,
    connections: concurrency,
    duration: seconds,
    requests,
    ...(rate !== undefined && { overallRate: rate }),
  })
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(`${result.non2xx} answers were errors, ${result.errors} calls got no answer`)
  }
  const { latency } = result
  return {
    // Autocannon's own average is not used, because it counts whole seconds, and a load lasts only a few.
    perSecond: result.requests.total / result.duration,
    p50: latency.p50,
    p99: latency.p99,
    cpuMs: (cpuMs() - cpuMsBefore) / result.requests.total,
  }
}

/**
 * Waits until new leads are pushed and announced in the background, because this work would slow down the next load.
 */
export async function jobsEnd({ pool }: Product): Promise<void> {
  const deadline = performance.now() + JOBS_MS_MAX
  for (;;) {
    const { rows } = await pool.query<{ waiting: number }>(
      "select count(*)::int as waiting from jobs.job where state in ('created', 'retry', 'active') and start_after <= now()",
    )
    if (rows[0]?.waiting === 0) return
    if (performance.now() > deadline) throw new Error(`${rows[0]?.waiting} jobs did not end`)
    await sleep(LOOK_EVERY_MS)
  }
}

/** Sends the product's own statements, prepared. Each concurrent caller takes a connection from the pool. */
export function loadWithPool(pool: pg.Pool, calls: RecordedCall[], load: Load): Promise<Measured> {
  return loadWithDriver(calls, load, async (work) => {
    const client = await pool.connect()
    try {
      await work(client)
    } finally {
      client.release()
    }
  })
}

/**
 * Sends the statements on two pipelined connections, as the product does for its hot reads. A statement is sent without
 * waiting for earlier answers.
 */
export async function loadPipelined(databaseUrl: string, calls: RecordedCall[], load: Load): Promise<Measured> {
  const settings = { ...connectionSettings(databaseUrl), pipeline: true }
  const clients = [new pg.Client(settings), new pg.Client(settings)]
  await Promise.all(clients.map((client) => client.connect()))
  try {
    return await loadWithDriver(calls, load, async (work, worker) => {
      const client = clients[worker % clients.length]
      if (client) await work(client)
    })
  } finally {
    await Promise.all(clients.map((client) => client.end()))
  }
}

async function loadWithDriver(
  calls: RecordedCall[],
  { concurrency, seconds }: Load,
  withClient: (work: (client: pg.ClientBase) => Promise<void>, worker: number) => Promise<void>,
): Promise<Measured> {
  const latencies: number[] = []
  const end = performance.now() + seconds * 1_000
  const workers = Array.from({ length: concurrency }, (_, worker) =>
    withClient(async (client) => {
      for (let i = worker; performance.now() < end; i++) {
        const startedAt = performance.now()
        await calls[i % calls.length]?.(client)
        latencies.push(performance.now() - startedAt)
      }
    }, worker),
  )
  await Promise.all(workers)
  latencies.sort((a, b) => a - b)
  const at = (share: number) => latencies[Math.floor(latencies.length * share)] ?? Number.NaN
  return { perSecond: latencies.length / seconds, p50: at(0.5), p99: at(0.99), cpuMs: Number.NaN }
}
