import type { Deps } from '../../deps.ts'
import type { CrmModule } from '../../records/crm-records.ts'
import {
  countPresent,
  countShown,
  findHidden,
  findHiddenOfAllPartners,
  forgetHidden,
  type HiddenRecord,
  noteHidden,
} from '../../records/kinds/hidden-records.queries.ts'
import { removeGone } from '../apply/remove-gone.ts'
import { CrmRefused } from '../zoho/errors.ts'
import { findRowsOf } from './find-rows-of.ts'
import type { Pull } from './pull.ts'

/** As many missing records as this are ordinary, unless they are all that a partner has (D123). */
const ORDINARY_MAX = 20
const ORDINARY_SHARE = 1 / 10
const PARTNERS_MAX = 2
const REMOVED_AT_ONCE = 100
/** Deletions that are older were swept long ago. */
const DELETED_DAYS = 7
const DAY_MS = 86_400_000

interface PulledIds {
  some: readonly string[]
  all: readonly string[]
}

/**
 * The brake on removals (D123). Returns the rows that may be removed, and holds the others: records that the CRM neither
 * shows nor names as deleted, if they are suspiciously many. The API user may have lost a right, so they stay as they
 * are until the CRM shows them again or `crm accept-removals` lets them go.
 *
 * @param missing Rows whose records the CRM does not show.
 * @param page The ids that were read together, and all ids of the pull. One page speaks for the whole pull.
 */
export async function holdHidden<Row extends { zoho_id: string | null; partner_id: string }>(
  pull: Pull,
  module: CrmModule,
  missing: readonly Row[],
  page: PulledIds,
): Promise<Row[]> {
  if (missing.length === 0) return []
  const { db, clock, log } = pull.deps
  const known = await findHidden(db, module, missing.map(idOf))
  if (known.size === 0 && !(await areSuspicious(pull, module, missing, page))) return [...missing]
  const deleted = await findDeleted(pull, module)
  const unnamed = missing.filter((row) => !deleted.has(idOf(row)))
  const unnamedOfAll = { ...page, all: page.all.filter((zohoId) => !deleted.has(zohoId)) }
  const isMass = await areSuspicious(pull, module, unnamed, unnamedOfAll)
  const held = isMass ? unnamed : unnamed.filter((row) => known.has(idOf(row)))
  const news = held.filter((row) => !known.has(idOf(row)))
  await noteHidden(db, module, news.map(asHidden), clock.now().toISOString())
  if (news.length > 0) {
    log.warn(
      { module, records: news.length, partners: new Set(news.map((row) => row.partner_id)).size },
      'the CRM does not show these records and does not name them as deleted; the portal keeps them until it shows them again, or until `crm accept-removals`',
    )
  }
  const isHeld = new Set(held)
  const removable = missing.filter((row) => !isHeld.has(row))
  await forgetHidden(db, module, removable.map(idOf))
  return removable
}

/** Removes the module's hidden records from their partners, as the operator has decided. Returns how many. */
export async function removeHidden(deps: Deps, module: CrmModule): Promise<number> {
  let removed = 0
  for (;;) {
    const hidden = await findHiddenOfAllPartners(deps.db, module, REMOVED_AT_ONCE)
    if (hidden.length === 0) return removed
    const zohoIds = hidden.map((record) => record.zoho_id)
    const rows = (await findRowsOf(deps, module, zohoIds)).filter((row) => row.archived_at === null)
    await removeGone(deps, module, rows)
    await forgetHidden(deps.db, module, zohoIds)
    removed += rows.length
  }
}

/**
 * Whether these are all records of a partner (two or more), or more than twenty and a tenth of what a partner has, or
 * records of three partners. The rest of the pull is taken to be like this page.
 */
async function areSuspicious(
  { deps: { db } }: Pull,
  module: CrmModule,
  missing: readonly { partner_id: string }[],
  { some, all }: PulledIds,
): Promise<boolean> {
  const ofPartner = Map.groupBy(missing, (row) => row.partner_id)
  if (ofPartner.size > PARTNERS_MAX) return true
  const shown = await countShown(db, [...ofPartner.keys()])
  const pulled = await countPresent(db, module, all)
  return [...ofPartner].some(([partnerId, { length }]) => {
    const whole = shown.get(partnerId) ?? 0
    const expected = Math.min(pulled.get(partnerId) ?? 0, (length / some.length) * all.length)
    return (length > 1 && length >= whole) || (expected > ORDINARY_MAX && expected > whole * ORDINARY_SHARE)
  })
}

/** The records that the CRM names as deleted. If it does not list all of them, the others stay hidden. */
async function findDeleted({ deps, signal }: Pull, module: CrmModule): Promise<ReadonlySet<string>> {
  const since = new Date(deps.crm.now().getTime() - DELETED_DAYS * DAY_MS).toISOString()
  const deleted = new Set<string>()
  try {
    for await (const deletions of deps.crm.deletionsOfAllPartners(module, since, signal)) {
      for (const { zoho_id } of deletions) deleted.add(zoho_id)
    }
  } catch (error) {
    if (!(error instanceof CrmRefused)) throw error
  }
  return deleted
}

function idOf({ zoho_id }: { zoho_id: string | null }): string {
  return zoho_id ?? ''
}

function asHidden(row: { zoho_id: string | null; partner_id: string }): HiddenRecord {
  return { zoho_id: idOf(row), partner_id: row.partner_id }
}
