import type { CrmModule } from '../../records/crm-records.ts'
import type { RecordRow } from '../../records/kinds/crm-table.ts'
import {
  countPresent,
  countShown,
  countShownByAllPartners,
  findHidden,
  forgetHidden,
  noteHidden,
} from '../../records/kinds/hidden-records.queries.ts'
import { CrmRefused } from '../zoho/errors.ts'
import type { Pull } from './pull.ts'

/** As many missing records as this are ordinary, unless they are all that there are (D123). */
export const ORDINARY_MAX = 20
export const ORDINARY_SHARE = 1 / 10
const PARTNERS_MAX = 2
/** Deletions that are older were swept long ago. */
const DELETED_DAYS = 7
const DAY_MS = 86_400_000

/**
 * Returns the rows that may be removed, of the rows whose records the CRM does not show with a partner. `page` are the ids
 * read with them, and `shown` those of them that the CRM shows.
 */
export type HoldHidden = <Row extends RecordRow>(
  missing: readonly Row[],
  page: readonly string[],
  shown: readonly string[],
) => Promise<Row[]>

/**
 * The brake on removals (D123), for one pull of `zohoIds`. It holds records that the CRM neither shows with a
 * partner nor names as deleted, if they are suspiciously many. The API user may have lost a right, so they stay as they are
 * until the CRM shows them again or `crm accept-removals` lets them go. Records that the CRM then shows without a partner are
 * judged once more. The CRM's list of deletions is read at most once a pull.
 */
export function openBrake(pull: Pull, module: CrmModule, zohoIds: readonly string[]): HoldHidden {
  const { db, clock, log } = pull.deps
  let listing: Promise<ReadonlySet<string>> | undefined
  /** What this pull has removed from its earlier pages. */
  const removed: LostRow[] = []

  return async (missing, page, shown) => {
    if (missing.length === 0) return []
    const known = await findHidden(db, module, missing.map(idOf), shown)
    if (known.size === 0 && !(await areSuspicious({ missing, page, pulled: zohoIds, removed }))) {
      await forgetHidden(db, module, missing.map(idOf))
      removed.push(...missing.map(lostOf))
      return [...missing]
    }
    listing ??= findDeleted(pull, module).then((found) => found ?? new Set())
    const deleted = await listing
    const unnamed = missing.filter((row) => !deleted.has(idOf(row)))
    const isMass = await areSuspicious({
      missing: unnamed,
      page,
      pulled: zohoIds.filter((zohoId) => !deleted.has(zohoId)),
      removed: removed.filter((row) => !deleted.has(idOf(row))),
    })
    const held = new Set(isMass ? unnamed : unnamed.filter((row) => known.has(idOf(row))))
    const news = [...held].filter((row) => !known.has(idOf(row)))
    await noteHidden(
      db,
      module,
      news.map((row) => ({ zoho_id: idOf(row), partner_id: row.partner_id, is_shown: shown.includes(idOf(row)) })),
      clock.now().toISOString(),
    )
    if (news.length > 0) {
      log.warn(
        { module, records: news.length, partners: new Set(news.map((row) => row.partner_id)).size },
        'the CRM does not show these records and does not name them as deleted; the portal keeps them until it shows them again, or until `crm accept-removals`',
      )
    }
    const removable = missing.filter((row) => !held.has(row))
    await forgetHidden(db, module, removable.map(idOf))
    removed.push(...removable.map(lostOf))
    return removable
  }

  /**
   * Whether these and the removed records are all records of a partner (two or more), or more than twenty and a tenth of
   * what a partner or the portal shows, or records of three partners. The other pages of the pull are taken to be like
   * this page, but no more records can be missing than the partner has among `pulled`.
   */
  async function areSuspicious(lost: Lost): Promise<boolean> {
    const ofPartner = Map.groupBy(lost.missing, (row) => row.partner_id)
    const before = Map.groupBy(lost.removed, (row) => row.partner_id)
    if (new Set([...ofPartner.keys(), ...before.keys()]).size > PARTNERS_MAX) return true
    const shown = await countShown(db, [...ofPartner.keys()])
    const present = await countPresent(db, module, lost.pulled)
    let total = lost.removed.length
    for (const [partnerId, { length }] of ofPartner) {
      const left = shown.get(partnerId) ?? 0
      const earlier = before.get(partnerId)?.length ?? 0
      const expected = Math.min(present.get(partnerId) ?? 0, (length / lost.page.length) * lost.pulled.length)
      const count = Math.max(expected, earlier + length)
      if (earlier + length > 1 && length >= left) return true
      if (isMuch(count, earlier + left)) return true
      total += count - earlier
    }
    return total > ORDINARY_MAX && isMuch(total, (await countShownByAllPartners(db)) + lost.removed.length)
  }
}

type LostRow = Pick<RecordRow, 'zoho_id' | 'partner_id'>

interface Lost {
  missing: readonly LostRow[]
  page: readonly string[]
  pulled: readonly string[]
  removed: readonly LostRow[]
}

function isMuch(count: number, whole: number): boolean {
  return count > ORDINARY_MAX && count > whole * ORDINARY_SHARE
}

/**
 * The records that the CRM names as deleted. If it does not list all of them, the others stay hidden. Undefined if it lists
 * none at all.
 */
export async function findDeleted(
  { deps, signal }: Pick<Pull, 'deps' | 'signal'>,
  module: CrmModule | 'Tasks',
): Promise<ReadonlySet<string> | undefined> {
  const since = new Date(deps.crm.now().getTime() - DELETED_DAYS * DAY_MS).toISOString()
  let deleted: Set<string> | undefined
  try {
    for await (const deletions of deps.crm.deletionsOfAllPartners(module, since, signal)) {
      deleted ??= new Set()
      for (const { zoho_id } of deletions) deleted.add(zoho_id)
    }
  } catch (error) {
    if (!(error instanceof CrmRefused)) throw error
  }
  return deleted
}

function lostOf({ zoho_id, partner_id }: RecordRow): LostRow {
  return { zoho_id, partner_id }
}

function idOf({ zoho_id }: Pick<LostRow, 'zoho_id'>): string {
  return zoho_id ?? ''
}
