import type { SyncProblem } from '@portal/contract/sync.ts'
import type { Deps } from '../../deps.ts'
import { chunksOf } from '../../platform/chunks-of.ts'
import type { CrmModule } from '../../records/crm-records.ts'
import type { RecordRow } from '../../records/kinds/crm-table.ts'
import { forgetHidden } from '../../records/kinds/hidden-records.queries.ts'
import { findPartnersById } from '../../records/partners/partners.queries.ts'
import { removeGone } from '../apply/remove-gone.ts'
import { letNotesFollow } from '../push/notes-follow.ts'
import { isOvertaken } from '../zoho/applied-time.ts'
import { findRowsOf } from './find-rows-of.ts'
import { gatherAndApply } from './gather-page.ts'
import { type HoldHidden, openBrake } from './hold-hidden.ts'
import { keepOfGonePartners } from './keep-of-gone-partners.ts'
import type { AppliedRecord, PageTally, Pull } from './pull.ts'
import { lookAtChanged } from './pull-documents.ts'
import { pullDueNotes } from './pull-notes.ts'

/** One call reads at most this many records. */
const RECORDS_A_PAGE = 100

/** The result of pulling records by their ids. */
interface Pulled {
  problems: SyncProblem[]
  /**
   * How many of the records are in the CRM and belong to a partner that the pull covers, including records that cannot
   * be read.
   */
  there: number
  /** The partners whose own CRM record is gone and whose link waits for the operator (D123). */
  heldPartnerIds: ReadonlySet<string>
}

/**
 * Reads these records from the CRM and applies each for the partner that it names (D30). A record that is gone, or that
 * names no partner covered by the pull, is removed from the partner that had it, if the pull may remove that partner's
 * records, the CRM still has the partner's own record, and the brake lets it go (`openBrake`). The number of calls grows with the records, not with the partners.
 */
export async function pullRecords(
  pull: Pull,
  module: CrmModule,
  zohoIds: readonly string[],
  tally?: PageTally,
): Promise<Pulled> {
  let pulled: Pulled = { problems: [], there: 0, heldPartnerIds: new Set() }
  const holdHidden = openBrake(pull, module, zohoIds)
  for (const some of chunksOf(zohoIds, RECORDS_A_PAGE)) {
    pull.signal.throwIfAborted()
    const page = await pullPage(pull, module, some, { tally, holdHidden })
    pulled = {
      problems: [...pulled.problems, ...page.problems],
      there: pulled.there + page.there,
      heldPartnerIds: new Set([...pulled.heldPartnerIds, ...page.heldPartnerIds]),
    }
  }
  return pulled
}

/**
 * Pulls the records of one page, and returns the outcome of each. `holdHidden` is the brake of the whole pull.
 */
export async function pullPage(
  pull: Pull,
  module: CrmModule,
  zohoIds: readonly string[],
  {
    tally,
    holdHidden = openBrake(pull, module, zohoIds),
  }: { tally?: PageTally | undefined; holdHidden?: HoldHidden } = {},
): Promise<Pulled & { records: AppliedRecord[] }> {
  const { deps, signal } = pull
  const { crm, clock, log } = deps
  const readAt = clock.now().toISOString()
  const read = await (module === 'Leads' ? crm.getLeads(zohoIds, signal) : crm.getDeals(zohoIds, signal))
  const rows = await findRowsOf(deps, module, zohoIds)
  const known = new Set(rows.map((row) => row.zoho_id))
  // A conversion may leave a deal without partner and LOID, and the CRM may refuse to add them. The deal then stays
  // with the lead's partner, and both are added when the deal is pulled again.
  const unmapped = read.records.filter((record) => {
    return module === 'Deals' && record.partner_zoho_id === null && record.loid === null && known.has(record.zoho_id)
  })
  const owners = await pull.ownersOf([
    ...read.records.flatMap((record) => record.partner_zoho_id ?? []),
    ...(await partnersOf(deps, rows, unmapped)),
  ])
  const owned = read.records.filter((record) => owners.has(record.partner_zoho_id ?? ''))
  const there = new Set([...owned, ...unmapped, ...read.problems].map((one) => one.zoho_id))

  const readById = new Map(read.records.map((record) => [record.zoho_id, record]))
  const gone = rows.filter((row) => {
    const record = readById.get(row.zoho_id ?? '')
    const isLeft = row.archived_at === null && !there.has(row.zoho_id ?? '')
    return isLeft && pull.mayRemoveFrom(row.partner_id) && !(record && isOvertaken(record, row, readAt))
  })
  // Gone records are removed before the histories are read. Reading histories takes a long time, and a record may come
  // back in that time.
  const { leaving, heldPartnerIds } = await keepOfGonePartners(pull, gone, readById)
  // A record that names no partner is as good as hidden: its partner's own record may have been deleted and restored.
  const isNobodys = (zohoId: string | null) => (readById.get(zohoId ?? '')?.partner_zoho_id ?? null) === null
  const missing = leaving.filter((row) => isNobodys(row.zoho_id))
  const moved = leaving.filter((row) => !isNobodys(row.zoho_id))
  await removeGone(deps, module, [...moved, ...(await holdHidden(missing, zohoIds, [...readById.keys()]))], tally)
  await forgetHidden(
    deps.db,
    module,
    [...readById.keys()].filter((zohoId) => there.has(zohoId) || !isNobodys(zohoId)),
  )

  // A process that has just started does not know yet whether Zoho lists notes.
  const notesDue = crm.listsNotes() === true ? 'new' : 'changed'
  const applied = await gatherAndApply(pull, owners, [...owned, ...unmapped], { readAt, notesDue, tally })
  const problems = [...read.problems, ...applied.problems]
  for (const problem of problems) log.warn({ module, ...problem }, 'a record from the CRM was left out')
  await pullDueNotes(pull, applied.records)
  await lookAtChanged(
    deps,
    applied.records.filter((record) => !record.is_new),
  )
  // What waited with a record that staff have restored goes at once.
  const back = applied.records.filter(({ is_new, outcome }) => is_new && outcome !== 'created')
  for (const { partner_id, loid } of back) await letNotesFollow(deps, partner_id, [loid])
  return { records: applied.records, problems, there: there.size, heldPartnerIds }
}

/** Finds who has these records in the portal. Returns the ids of these partners' own records in the CRM. */
async function partnersOf(
  { db }: Pick<Deps, 'db'>,
  rows: readonly RecordRow[],
  records: readonly { zoho_id: string }[],
): Promise<string[]> {
  if (records.length === 0) return []
  const zohoIds = new Set(records.map((record) => record.zoho_id))
  const partnerIds = rows.flatMap((row) => (zohoIds.has(row.zoho_id ?? '') ? row.partner_id : []))
  return (await findPartnersById(db, partnerIds)).flatMap((partner) => partner.zoho_id ?? [])
}
