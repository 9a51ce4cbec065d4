import type { FastifyInstance } from 'fastify'

/** What being ready depends on. The CRM is not part of it: partners go on without it. */
export interface Readiness {
  /** Whether the start has done everything. */
  isStarted(): boolean
  /** Whether the portal was told to stop: it still answers requests, but balancers should send no more. */
  isStopping(): boolean
  /** Rejects unless the database answers through every pool within the time. */
  reachDatabase(msMax: number): Promise<void>
}

/** D91: a balancer learns within this time that a database hangs. */
const READY_MS_MAX = 2_000

/** Answers whether the portal is alive and ready to work (D3). */
export function healthRoutes(app: FastifyInstance, { isStarted, isStopping, reachDatabase }: Readiness): void {
  app.get('/api/health', { logLevel: 'warn' }, async () => ({ success: true, data: { status: 'ok' } }))

  app.get('/api/ready', { logLevel: 'warn' }, async (_request, reply) => {
    const trouble = await findTrouble()
    if (trouble === undefined) return { success: true, data: { status: 'ready' } }
    return reply.status(503).send({ success: false, error: trouble, code: 'UNAVAILABLE' })
  })

  async function findTrouble(): Promise<string | undefined> {
    if (isStopping()) return 'The portal is stopping'
    return isStarted() ? databaseTrouble() : 'The portal is starting'
  }

  let asking: Promise<string | undefined> | undefined

  /** Callers share one query, so that they do not fill the pools of a database that hangs. */
  function databaseTrouble(): Promise<string | undefined> {
    asking ??= reachDatabase(READY_MS_MAX)
      .then(
        () => undefined,
        () => 'The database does not answer',
      )
      .finally(() => {
        asking = undefined
      })
    return asking
  }
}
