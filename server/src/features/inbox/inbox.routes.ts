import { readActivity } from '@portal/contract/activity.ts'
import { markDone, putAway, readAttention, remindMe } from '@portal/contract/attention.ts'
import { markNewsSeen, readNews } from '@portal/contract/inbox.ts'
import { ACTIVITY_SIZE } from '@portal/contract/limits.ts'
import { MINE } from '@portal/contract/submitted-by.ts'
import type { Deps } from '../../deps.ts'
import type { Mount } from '../../platform/http/mount.ts'
import { findActivity } from './activity.queries.ts'
import { activityEntries } from './activity-entries.ts'
import { findAttention } from './find-attention.ts'
import { markSeen } from './mark-seen.ts'
import { findEvents, findNewsGroups, findUnseenIds } from './news.queries.ts'
import { newsLines } from './news-lines.ts'
import { hideItem, markItemDone } from './settle-item.ts'

export function inboxRoutes(mount: Mount, deps: Deps): void {
  const { pool, config } = deps

  mount(readNews, async ({ partner }) => {
    const { groups, ...news } = await findNewsGroups(pool, partner.id, partner.personId)
    if (groups.length === 0) return { ...news, lines: [] }
    const [events, { items }] = await Promise.all([
      findEvents(
        pool,
        partner.id,
        groups.flatMap((group) => group.ids),
      ),
      findAttention(deps, partner),
    ])
    return { ...news, lines: newsLines(groups, events, items) }
  })
  mount(markNewsSeen, async ({ partner, body }) => {
    await markSeen(deps, partner, body)
    return {}
  })
  mount(readActivity, async ({ partner, query }) => {
    const person = query.person === MINE ? partner.personId : query.person
    const rows = await findActivity(deps, partner.id, { ...query, person }, config.timezone, partner.personRights)
    const page = rows.slice(0, ACTIVITY_SIZE)
    const unseen = await findUnseenIds(
      pool,
      partner.id,
      partner.personId,
      page.map((row) => row.id),
    )
    const next_cursor = rows.length > ACTIVITY_SIZE ? (page.at(-1)?.id ?? null) : null
    return { activities: activityEntries(page, unseen), next_cursor }
  })
  mount(readAttention, ({ partner }) => findAttention(deps, partner))
  mount(markDone, async ({ partner, params }) => {
    await markItemDone(deps, partner, params.id)
    return {}
  })
  mount(remindMe, async ({ partner, params, body }) => {
    await hideItem(deps, partner, params.id, body.until)
    return {}
  })
  mount(putAway, async ({ partner, params }) => {
    await hideItem(deps, partner, params.id, null)
    return {}
  })
}
