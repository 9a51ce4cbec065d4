import autocannon from 'autocannon'
import type pg from 'pg'
import type { LoadedPartner } from './load-data.ts'
import type { RecordedCall } from './recorded-statements.ts'

export interface Measured {
  perSecond: number
  p50: number
  p99: number
}

interface HttpRequest {
  path: string
  method?: 'GET' | 'POST'
  headers: Record<string, string>
  body?: string
}

export async function loadOverHttp(
  url: string,
  partners: LoadedPartner[],
  request: (partner: LoadedPartner) => HttpRequest,
  concurrency: number,
  seconds: number,
): Promise<Measured> {
  const result = await autocannon({
    url,
    connections: concurrency,
    duration: seconds,
    requests: partners.map((partner) => request(partner)),
  })
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(`${result.non2xx} answers were no success, ${result.errors} calls broke`)
  }
  return { perSecond: result.requests.average, p50: result.latency.p50, p99: result.latency.p99 }
}

/** The product's own statements, prepared, on as many connections. */
export async function loadWithDriver(
  pool: pg.Pool,
  calls: RecordedCall[],
  concurrency: number,
  seconds: number,
): Promise<Measured> {
  const latencies: number[] = []
  const end = performance.now() + seconds * 1_000
  await Promise.all(
    Array.from({ length: concurrency }, async (_, worker) => {
      const client = await pool.connect()
      try {
        for (let i = worker; performance.now() < end; i++) {
          const startedAt = performance.now()
          await calls[i % calls.length]?.(client)
          latencies.push(performance.now() - startedAt)
        }
      } finally {
        client.release()
      }
    }),
  )
  latencies.sort((a, b) => a - b)
  const at = (share: number) => latencies[Math.floor(latencies.length * share)] ?? Number.NaN
  return { perSecond: latencies.length / seconds, p50: at(0.5), p99: at(0.99) }
}
