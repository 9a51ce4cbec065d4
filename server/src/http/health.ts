import type { FastifyInstance } from 'fastify'
import type pg from 'pg'

/** D3: alive, and ready to work. The CRM's health is not among them: partners go on without it. */
export function healthRoutes(app: FastifyInstance, pool: pg.Pool): void {
  app.get('/api/health', { logLevel: 'warn' }, async () => ({ success: true, data: { status: 'ok' } }))

  app.get('/api/ready', { logLevel: 'warn' }, async (_request, reply) => {
    const isUp = await pool.query('select 1').then(
      () => true,
      () => false,
    )
    if (isUp) return { success: true, data: { status: 'ready' } }
    return reply.status(503).send({ success: false, error: 'The database does not answer', code: 'UNAVAILABLE' })
  })
}
