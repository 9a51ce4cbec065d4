import { compareLedger } from './compare-ledger.ts'
import { comparePartner } from './compare-partner.ts'
import type { Differ, Ledger } from './ledger.ts'
import type { Partner } from './partners.ts'
import { takePicture } from './picture.ts'
import type { World } from './world.ts'

export interface Difference {
  what: string
  /** What was done to the record. */
  log: string[]
}

/**
 * Returns the differences in fields, histories and notes between the portal and the CRM. Both must be at rest. Also
 * finds repeated events, and checks what must be true according to the ledger. Reads portal and CRM through their
 * public APIs, and the portal's events from its database.
 */
export async function compare(world: World, partners: readonly Partner[], ledger: Ledger): Promise<Difference[]> {
  // The comparison needs fixed settings for these switches; the run used various settings.
  await world.crm.behaviour({
    recordsShow: 'display',
    timelineEmptyOldValue: 'null',
    stageHistoryTime: 'entry',
    apiUserIsAdmin: true,
    timelineShowsNotes: false,
    taskStatuses: 'zoho',
  })
  const differences: Difference[] = []
  const differ: Differ = (what, record) => differences.push({ what, log: record?.log ?? [] })
  const picture = await takePicture(world, ledger)
  for (const partner of partners) await comparePartner({ world, picture, ledger, partner, differ })
  await compareLedger(world, picture, ledger, partners, differ)
  for (const { type, loid, copies } of await repeatedEvents(world)) {
    const record = picture.trackedByLoid('Leads', loid) ?? picture.trackedByLoid('Deals', loid)
    differ(`event ${type} of ${loid} was recorded ${copies} times`, record)
  }
  return differences
}

/**
 * Finds events that were recorded more than once: the same change with no other change in between, two creations or
 * restorations with no removal in between, two removals with neither in between, the same note twice, or any other event
 * twice except `deal.updated`. A lead can be corrected twice, each time with another amount. If a status changes, changes back and changes again, two equal events are correct.
 */
function repeatedEvents({ rows }: World): Promise<{ type: string; loid: string; copies: number }[]> {
  return rows(
    `select type, loid, 2 as copies
       from (select type, loid, data,
                    lag(type) over of_kind as type_before, lag(data) over of_kind as data_before
               from events
             window of_kind as (
               partition by partner_id, loid,
                 case when type like '%_changed' then 'changed' when type ~ '[.](created|restored|removed)$' then split_part(type, '.', 1) else type end
               order by id)) told
      where type = type_before and (data = data_before or (type not like '%_changed' and type <> 'lead.corrected'))
        and type not in ('note.added', 'document.added', 'deal.updated') and type not like 'request.%'
     union all
     select type, loid, count(*)::int from events
      where type in ('note.added', 'document.added', 'request.opened')
      group by partner_id, type, loid, data::text having count(*) > 1`,
  )
}
