import { once } from 'node:events'
import type { Deps } from '../../deps.ts'
import type { Replica } from '../db/replica.ts'
import type { Answered } from '../http/server.ts'
import { createServer } from '../node-http.ts'
import { openDatabaseFigures } from './database-figures.ts'
import type { ProcessLimits } from './process-limits.ts'
import { openProcessMetrics } from './process-metrics.ts'

export interface MetricsServer {
  /** Counts an answered request. */
  count(answered: Answered): void
  close(): Promise<void>
}

interface MetricsOptions {
  host: string
  port: number
  pools: Parameters<typeof openProcessMetrics>[0]['pools']
  live: { count(): number }
  replica: Pick<Replica, 'answered' | 'lagMs'> | undefined
  limits: ProcessLimits
}

/** Serves `GET /metrics` to Prometheus, on a separate port, which must not be open to the internet (D95). */
export async function startMetricsServer(
  deps: Pick<Deps, 'db' | 'crm' | 'config' | 'log'>,
  { host, port, pools, live, replica, limits }: MetricsOptions,
): Promise<MetricsServer> {
  const { registry, count } = openProcessMetrics({
    pools,
    crmCalls: deps.crm.callsUsed,
    liveStreams: live.count,
    replica,
    limits,
    dataDir: deps.config.dataDir,
  })
  const readFigures = openDatabaseFigures(deps)

  const server = createServer((request, response) => {
    if (request.url !== '/metrics') {
      response.writeHead(404).end()
      return
    }
    Promise.all([registry.metrics(), readFigures()]).then(
      (texts) => response.writeHead(200, { 'content-type': registry.contentType }).end(texts.join('')),
      (error: unknown) => {
        deps.log.error({ err: error }, 'the metrics could not be collected')
        response.writeHead(500).end()
      },
    )
  })
  server.listen(port, host)
  await once(server, 'listening')
  const bound = server.address()
  const address = typeof bound === 'object' && bound ? bound : { address: host, port }
  if (['0.0.0.0', '::'].includes(address.address)) {
    deps.log.warn({ host }, 'METRICS_HOST opens the metrics to every machine that reaches this one')
  }
  deps.log.info({ host, port: address.port }, 'metrics are served')
  return {
    count,
    async close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
