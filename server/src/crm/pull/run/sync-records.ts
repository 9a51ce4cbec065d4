import type { DealSyncResult, LeadSyncResult, SyncProblem } from '@portal/contract/sync.ts'
import type { CrmDeal, CrmLead, CrmModule, CrmVersion } from '../../../records/crm-records.ts'
import { comparePage, findDifferingOfAllPartners } from '../../../records/kinds/crm-rows.queries.ts'
import { countHidden, forgetHidden } from '../../../records/kinds/hidden-records.queries.ts'
import { findWaitingLoids } from '../../../records/kinds/pushed.queries.ts'
import { PartnerHeld } from '../../push/partner-held.ts'
import { pushDeal } from '../../push/push-deal.job.ts'
import { pushLead } from '../../push/push-lead.job.ts'
import type { ListedPage } from '../../zoho/list/of-partner.ts'
import { gatherAndApply } from '../gather-page.ts'
import { pullDueNotes } from '../pull-notes.ts'
import { pullRecords } from '../pull-records.ts'
import { pushWaiting } from './push-waiting.ts'
import { type Run, tallyOf } from './run.ts'

/**
 * If a page has more records to apply than this, the notes of its new records are read from the organisation's list,
 * which takes fewer calls.
 */
const NOTES_ASKED_ONE_BY_ONE_MAX = 100

/** Brings the partner's leads in line with the CRM (D28–D30). `since` is when the last successful run began. */
export async function syncLeads(begun: Run, since: string | undefined): Promise<LeadSyncResult> {
  const waiting = await findWaitingLoids(begun.deps.db, 'leads', begun.partner.id)
  const run = await pushWaiting(begun, 'Sending new leads', pushLead, waiting)
  const { total, problems } = await syncModule(run, 'Leads', since)
  const { created, updated, converted, removed } = run.tallies.leads
  // A record that left the CRM again during the run is counted as a change, but not in `total`.
  const total_zoho_leads = Math.max(total, created + updated + converted)
  const skipped = total_zoho_leads - created - updated - converted
  return {
    total_zoho_leads,
    created,
    updated,
    converted,
    skipped,
    removed,
    ...(await findHeld(run, 'Leads')),
    problems,
  }
}

export type SyncedDeals = Omit<DealSyncResult, 'matching_leads_removed'>

/**
 * Brings the partner's deals in line with the CRM. Deals replace matching leads. The number of replaced leads is added
 * to the result when the run ends.
 */
export async function syncDeals(begun: Run, since: string | undefined): Promise<SyncedDeals> {
  const waiting = await findWaitingLoids(begun.deps.db, 'deals', begun.partner.id)
  const run = await pushWaiting(begun, 'Sending new deals', pushDeal, waiting)
  const { total, problems } = await syncModule(run, 'Deals', since)
  const { created, updated, removed } = run.tallies.deals
  const total_zoho_deals = Math.max(total, created + updated)
  const skipped = total_zoho_deals - created - updated
  return { total_zoho_deals, created, updated, skipped, removed, ...(await findHeld(run, 'Deals')), problems }
}

async function findHeld({ deps, partner }: Run, module: CrmModule): Promise<{ held?: number }> {
  const held = await countHidden(deps.pool, partner.id, module)
  return held === 0 ? {} : { held }
}

async function syncModule(
  begun: Run,
  module: CrmModule,
  since: string | undefined,
): Promise<{ total: number; problems: SyncProblem[] }> {
  const { deps, partner, signal, progress } = begun
  const { crm, db } = deps
  const name = module === 'Leads' ? 'leads' : 'deals'
  const run: Run = { ...begun, newsOf: async () => () => since !== undefined }
  const problems: SyncProblem[] = []
  let total = 0
  const readAt = deps.clock.now().toISOString()

  await progress.begin(`Updating ${name}`)
  // Zoho does not document whether queries return converted leads and mark them as converted.
  let converted: ReadonlySet<string> | undefined
  let showsConverted = module === 'Deals'
  const unlistedConverted = new Set<string>()
  let after: string | undefined
  for await (const page of readAhead(listPages(run, module, since))) {
    signal.throwIfAborted()
    if (!page.tellsConverted) converted ??= await findConverted(run)
    const versions = marked(page.versions, converted)
    await forgetHidden(db, module, idsOf(versions))
    total += versions.length
    showsConverted ||= versions.some((version) => version.is_converted)
    const upTo = page.isLast ? undefined : versions.at(-1)?.zoho_id
    const { differing, unlisted } = await comparePage(db, name, partner.id, versions, { after, upTo })
    after = upTo
    if (page.batch) await applyWhole(page.batch, new Set(differing))
    else await pull(differing, true)
    await pull(idsOf(unlisted.filter((row) => !row.is_converted)), false)
    for (const row of unlisted) if (row.is_converted) unlistedConverted.add(row.zoho_id)
  }
  if (!showsConverted) {
    for await (const hidden of crm.convertedPages(partner.zoho_id, signal)) {
      total += hidden.length
      for (const { zoho_id } of hidden) unlistedConverted.delete(zoho_id)
      const owned = hidden.map((version) => ({ ...version, partner_zoho_id: partner.zoho_id }))
      await pull(await findDifferingOfAllPartners(db, name, owned), true)
    }
  }
  await pull([...unlistedConverted], false)
  return { total, problems }

  /**
   * Pulls listed records that differ, and known records that are not listed. A record that is not listed may still
   * exist, so it is read by id.
   */
  async function pull(zohoIds: readonly string[], areListed: boolean): Promise<void> {
    if (zohoIds.length === 0) return
    await progress.expect(zohoIds.length)
    const pulled = await pullRecords(run, module, zohoIds, tallyOf(run, false))
    if (pulled.heldPartnerIds.has(partner.id)) throw new PartnerHeld('deleted')
    problems.push(...pulled.problems)
    total += areListed ? pulled.there - zohoIds.length : pulled.there
    await progress.add(zohoIds.length)
  }

  /** Applies the records that differ. An earlier attempt at this run, or another pull, has applied the others. */
  async function applyWhole(batch: Batch, differing: ReadonlySet<string>): Promise<void> {
    const changed = batch.records.filter((record) => differing.has(record.zoho_id))
    await progress.expect(changed.length)
    const listsNotes = changed.length > NOTES_ASKED_ONE_BY_ONE_MAX
    const applied = await gatherAndApply(run, await run.ownersOf([partner.zoho_id]), changed, {
      readAt,
      notesDue: listsNotes ? 'none' : 'new',
      tally: tallyOf(run, listsNotes),
    })
    problems.push(...batch.problems, ...applied.problems)
    await pullDueNotes(run, applied.records)
    await progress.add(changed.length)
  }
}

type Batch = NonNullable<ListedPage<CrmLead | CrmDeal>['batch']>

/** The ids of the partner's converted leads. */
async function findConverted({ deps: { crm }, partner, signal }: Run): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  for await (const page of crm.convertedPages(partner.zoho_id, signal)) for (const id of idsOf(page)) found.add(id)
  return found
}

/** Marks these leads as converted if `converted` has their ids. */
function marked(versions: CrmVersion[], converted: ReadonlySet<string> | undefined): CrmVersion[] {
  if (!converted) return versions
  return versions.map((version) => ({
    ...version,
    is_converted: version.is_converted || converted.has(version.zoho_id),
  }))
}

function idsOf(records: readonly { zoho_id: string }[]): string[] {
  return records.map((record) => record.zoho_id)
}

/**
 * A first sync lists whole records, because nearly every record is new. Later syncs list only ids and times, and read
 * records whose id or time is new.
 */
function listPages(
  { deps: { crm }, partner, signal }: Run,
  module: CrmModule,
  since: string | undefined,
): AsyncIterable<ListedPage<CrmLead | CrmDeal>> {
  if (since !== undefined) return crm.versionPages(module, partner.zoho_id, signal)
  return module === 'Leads' ? crm.leadPages(partner.zoho_id, signal) : crm.dealPages(partner.zoho_id, signal)
}

/** Yields the same items. Each item is read while the caller works on the item before it. */
async function* readAhead<Item>(items: AsyncIterable<Item>): AsyncGenerator<Item> {
  const reader = items[Symbol.asyncIterator]()
  let next = reader.next()
  try {
    for (;;) {
      const { done, value } = await next
      if (done) return
      next = reader.next()
      // If this read fails, the error is thrown when the caller requests the item.
      next.catch(() => undefined)
      yield value
    }
  } finally {
    void reader.return?.()
  }
}
