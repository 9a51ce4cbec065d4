import type { FastifyInstance } from 'fastify'
import { noteRecords } from '../../crm/pull/notified/noted-records.queries.ts'
import { pullNoted } from '../../crm/pull/notified/pull-noted.job.ts'
import { NOTIFICATIONS_PATH } from '../../crm/pull/notified/watch-crm.job.ts'
import { PULL_QUEUE } from '../../crm/queues.ts'
import type { Deps } from '../../deps.ts'
import { chunksOf } from '../../platform/chunks-of.ts'

const NOTES_A_JOB = 100
/** Zoho does not say how many records a notification can name. */
const BODY_BYTES_MAX = 1_048_576

/**
 * The route for the CRM's notifications. It is not in the contract, because only zoho/ knows the format of Zoho's
 * calls.
 */
export function crmNotificationRoutes(app: FastifyInstance, { db, crm, jobs }: Deps): void {
  app.post(NOTIFICATIONS_PATH, { bodyLimit: BODY_BYTES_MAX }, async ({ body }) => {
    const notification = crm.readNotification(body)
    if (notification) {
      const { module, zoho_ids } = notification
      if (module === 'Leads' || module === 'Deals') {
        // No transaction: a process that ends between the two leaves the record to the next job or to the sweep.
        await noteRecords(db, module, zoho_ids)
        await jobs.enqueue(db, pullNoted, {})
      } else {
        for (const zohoIds of chunksOf(zoho_ids, NOTES_A_JOB)) await jobs.enqueue(db, PULL_QUEUE, { module, zohoIds })
      }
    }
    return { success: true }
  })
}
