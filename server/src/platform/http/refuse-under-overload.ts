import type { FastifyInstance } from 'fastify'
import { Busy } from '../errors.ts'

const LOOK_EVERY_MS = 1_000
const LATE_MS_MAX = 2_000

/**
 * Refuses requests while the event loop is late by more than two seconds, so that the requests in hand can end. Only
 * reads the clock, because a look at memory throws in a process that has no file descriptor left.
 */
export function refuseUnderOverload(app: FastifyInstance): void {
  let lookedAt = performance.now()
  let lateMs = 0
  const looking = setInterval(() => {
    const now = performance.now()
    lateMs = now - lookedAt - LOOK_EVERY_MS
    lookedAt = now
  }, LOOK_EVERY_MS)
  looking.unref()
  app.addHook('onClose', async () => clearInterval(looking))
  app.addHook('onRequest', async () => {
    if (lateMs > LATE_MS_MAX) throw new Busy()
  })
}
