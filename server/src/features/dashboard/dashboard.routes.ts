import { DEAL_STAGES } from '@portal/contract/choices.ts'
import { readPipeline, readRecentActivity, readStats, readTimeZone, readTrends } from '@portal/contract/dashboard.ts'
import { crmChoices } from '../../crm/zoho/choices.ts'
import type { Deps } from '../../deps.ts'
import type { Mount } from '../../platform/http/mount.ts'
import { activityOf } from '../../records/events/activity.ts'
import { findRecentEvents, findStageCounts, findStats } from './dashboard.queries.ts'
import { pipelineOf } from './pipeline.ts'
import { findComparison, findTrendPoints } from './trends.queries.ts'

const ACTIVITIES = 20

export function dashboardRoutes(mount: Mount, deps: Deps): void {
  mount(readStats, ({ partner, fromReplica }) => fromReplica(({ pool }) => findStats(pool, partner.id)))
  mount(readRecentActivity, async ({ partner, fromReplica }) => {
    const events = await fromReplica(({ pool }) => findRecentEvents(pool, partner.id, ACTIVITIES, partner.personRights))
    return { activities: events.map(activityOf) }
  })
  mount(readPipeline, async ({ partner, fromReplica }) => {
    const counts = await fromReplica(({ pool }) => findStageCounts(pool, partner.id))
    if (counts.length === 0) return { pipeline: [] }
    return { pipeline: pipelineOf(counts, await crmChoices(deps, 'deal-stage', DEAL_STAGES)) }
  })
  mount(readTimeZone, () => Promise.resolve({ time_zone: deps.config.timezone }))
  mount(readTrends, async ({ partner, query, fromReplica }) => {
    const { period } = query
    const now = deps.clock.now()
    const [points, comparison] = await fromReplica(({ pool }) =>
      Promise.all([
        findTrendPoints(pool, partner.id, { now, period, timezone: deps.config.timezone }),
        findComparison(pool, partner.id, now),
      ]),
    )
    return { period, points, comparison }
  })
}
