import type { FastifyInstance } from 'fastify'
import { NOTIFICATIONS_PATH } from '../../crm/pull/notified/watch-crm.job.ts'
import { PULL_QUEUE } from '../../crm/push/pull-queue.ts'
import type { Deps } from '../../deps.ts'
import { chunksOf } from '../../platform/chunks-of.ts'

const RECORDS_A_JOB = 100

/**
 * The route for the CRM's notifications. It is not in the contract, because only zoho/ knows the format of Zoho's
 * calls.
 */
export function crmNotificationRoutes(app: FastifyInstance, { db, crm, jobs }: Deps): void {
  app.post(NOTIFICATIONS_PATH, async ({ body }) => {
    const notification = crm.readNotification(body)
    if (notification) {
      const { module, zoho_ids } = notification
      await db.transaction().execute(async (tx) => {
        for (const zohoIds of chunksOf(zoho_ids, RECORDS_A_JOB)) {
          await jobs.enqueue(tx, PULL_QUEUE, { module, zohoIds })
        }
      })
    }
    return { success: true }
  })
}
