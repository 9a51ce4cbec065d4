import * as z from 'zod/mini'
import { defineJob } from '../../../platform/jobs/define-job.ts'
import { isOfCrm } from '../../zoho/errors.ts'

export const NOTIFICATIONS_PATH = '/api/crm/notifications'

/** Zoho keeps a channel open for a week at most. */
const WATCH_MS = 6 * 86_400_000

/**
 * Opens the CRM's notification channels and renews them before they expire. Without channels, a change waits for the
 * next sweep or sync.
 */
export const watchCrm = defineJob({
  name: 'watch-crm',
  payload: z.object({}),
  schedule: '13 * * * *',
  runsAtStart: true,
  retry: { firstDelaySeconds: 30, delaySecondsMax: 300, giveUpAfterDays: 1 },
  async run({ crm, publicUrl, clock, log }, _, signal) {
    try {
      const api = await crm.apiDomain()
      if (!canReach(api, publicUrl)) {
        log.info({ publicUrl }, 'the CRM cannot reach this address with notifications; the sweep finds the changes')
        return
      }
      const until = new Date(clock.now().getTime() + WATCH_MS)
      const watch = await crm.watch(`${publicUrl}${NOTIFICATIONS_PATH}`, until, signal)
      log.info(watch, 'the CRM notifies the portal of changes')
    } catch (error) {
      if (!isOfCrm(error)) throw error
      log.warn({ err: error }, 'the CRM does not notify the portal; the sweep finds the changes')
    }
  },
})

/**
 * Whether the CRM can send notifications to the portal. Zoho posts only to public https addresses. A sandbox on this
 * machine also posts to local addresses.
 */
function canReach(crmUrl: string, publicUrl: string): boolean {
  const portal = new URL(publicUrl)
  // Port 0 means that the port is not known before the portal listens.
  if (portal.port === '0') return false
  return isLoopback(portal) ? isLoopback(new URL(crmUrl)) : portal.protocol === 'https:'
}

function isLoopback({ hostname }: URL): boolean {
  return /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname)
}
