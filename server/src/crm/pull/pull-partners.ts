import type { Deps } from '../../deps.ts'
import { chunksOf } from '../../platform/chunks-of.ts'
import { findFieldGroups } from '../../records/kinds/field-groups.queries.ts'
import { keepPartnerFacts } from '../../records/partners/partner-facts.queries.ts'
import { findPartnersByZohoId } from '../../records/partners/partners.queries.ts'
import { findConnectedPartners } from '../../records/partners/partners-in-crm.queries.ts'
import { beginAtCursor, moveCursor } from './sweep/sweep-cursors.queries.ts'

const PARTNERS_A_CALL = 100
/** As for other lists, Zoho may show a record a little later than its time says. */
const OVERLAP_MS = 60_000

type PartnerDeps = Pick<Deps, 'db' | 'crm'>

/** Reads what the CRM says of the partners with these records (D114). Records of nobody in the portal cost no call. */
export async function pullPartners(
  { db, crm }: PartnerDeps,
  zohoIds: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const linked = await findPartnersByZohoId(db, zohoIds)
  for (const partners of chunksOf(linked, PARTNERS_A_CALL)) {
    const { records } = await crm.getPartners(
      partners.map((partner) => partner.zoho_id),
      signal,
    )
    await keepPartnerFacts(db, records)
  }
}

export async function pullAllPartners(deps: PartnerDeps, signal: AbortSignal): Promise<void> {
  const connected = await findConnectedPartners(deps.db)
  await pullPartners(
    deps,
    connected.map((partner) => partner.zoho_id),
    signal,
  )
}

/** Reads what has changed since the last sweep. What stood there before is read when a partner or a field appears. */
export async function sweepPartners({ db, crm }: PartnerDeps, signal: AbortSignal): Promise<void> {
  if (!(await findFieldGroups(db)).has('manager')) return
  const begun = crm.now().toISOString()
  const from = Date.parse(await beginAtCursor(db, 'partners', begun)) - OVERLAP_MS
  for await (const { records } of crm.partnerPagesSince(new Date(from).toISOString(), signal)) {
    await keepPartnerFacts(db, records)
  }
  await moveCursor(db, 'partners', begun)
}
