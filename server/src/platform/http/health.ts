import type { FastifyInstance } from 'fastify'
import { BUILD } from '../build.ts'

/** The conditions for being ready. The CRM is not one of them, because partners can work without the CRM. */
export interface Readiness {
  /** Whether the process answers pages and API calls; a worker does not. */
  servesPages: boolean
  /** Whether the start is complete. */
  isStarted(): boolean
  /** Whether the portal is stopping. It still answers requests, but load balancers should send no more. */
  isStopping(): boolean
  /** Rejects unless the primary database answers through every pool within `msMax`. */
  reachDatabase(msMax: number): Promise<void>
}

/** A load balancer learns within this time that the database hangs (D91). */
const READY_MS_MAX = 2_000

/** The database did not answer in time, but may still work. */
export class LateAnswer extends Error {}

/** Adds the routes that answer whether the portal is alive and ready to work (D3). */
export function healthRoutes(
  app: FastifyInstance,
  { servesPages, isStarted, isStopping, reachDatabase }: Readiness,
): void {
  app.get('/api/health', { logLevel: 'warn' }, async () => ({ success: true, data: { status: 'ok', ...BUILD } }))

  // A balancer asks `?for=pages`, so that it never takes a worker for a process that serves pages.
  app.get<{ Querystring: { for?: unknown } }>('/api/ready', { logLevel: 'warn' }, async ({ query }, reply) => {
    const isWrong = query.for === 'pages' && !servesPages
    const trouble = isWrong ? 'This process works in the background' : await findTrouble()
    if (trouble === undefined) return { success: true, data: { status: 'ready' } }
    return reply.status(503).send({ success: false, error: trouble, code: 'UNAVAILABLE' })
  })

  async function findTrouble(): Promise<string | undefined> {
    if (isStopping()) return 'The portal is stopping'
    return isStarted() ? databaseTrouble() : 'The portal is starting'
  }

  let asking: Promise<string | undefined> | undefined
  let isSuspect = false

  /** Simultaneous calls share one check, so that they do not use up the pools while the database hangs. */
  function databaseTrouble(): Promise<string | undefined> {
    asking ??= reachDatabase(READY_MS_MAX)
      .then(
        () => {
          isSuspect = false
          return undefined
        },
        (error: unknown) => {
          // A single late answer can be a moment of full load.
          const isFirst = error instanceof LateAnswer && !isSuspect
          isSuspect = true
          return isFirst ? undefined : 'The database does not answer'
        },
      )
      .finally(() => {
        asking = undefined
      })
    return asking
  }
}
