import type { Deps } from '../../deps.ts'
import { chunksOf } from '../../platform/chunks-of.ts'
import type { Tx } from '../../platform/db/database.ts'
import type { CrmPartner } from '../../records/crm-records.ts'
import { findFieldGroups } from '../../records/kinds/field-groups.queries.ts'
import { keepPartnerFacts } from '../../records/partners/partner-facts.queries.ts'
import { findPartnersByZohoId } from '../../records/partners/partners.queries.ts'
import { findConnectedPartners } from '../../records/partners/partners-in-crm.queries.ts'
import {
  type ChangedAccess,
  forgetPortalAccessOfAllPartners,
  updatePortalAccess,
} from '../../records/partners/portal-access.queries.ts'
import { CONNECT_QUEUE } from '../push/connect-queue.ts'
import { FOLLOW_ACCESS_QUEUE } from './follow-access-queue.ts'
import { beginAtCursor, moveCursor } from './sweep/sweep-cursors.queries.ts'

const PARTNERS_A_CALL = 100
/** As for other lists, Zoho may show a record a little later than its time says. */
const OVERLAP_MS = 60_000

type PartnerDeps = Pick<Deps, 'db' | 'crm' | 'jobs' | 'clock'>

/** Reads what the CRM says of the partners with these records (D114, D116). Records of nobody in the portal cost no call. */
export async function pullPartners(deps: PartnerDeps, zohoIds: readonly string[], signal: AbortSignal): Promise<void> {
  const linked = await findPartnersByZohoId(deps.db, zohoIds)
  for (const partners of chunksOf(linked, PARTNERS_A_CALL)) {
    const { records } = await deps.crm.getPartners(
      partners.map((partner) => partner.zoho_id),
      signal,
    )
    await applyPartners(deps, records)
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
export async function sweepPartners(deps: PartnerDeps, signal: AbortSignal): Promise<void> {
  const { db, crm } = deps
  const groups = await findFieldGroups(db)
  if (!groups.has('manager') && !groups.has('access')) return
  const begun = crm.now().toISOString()
  const from = Date.parse(await beginAtCursor(db, 'partners', begun)) - OVERLAP_MS
  for await (const { records } of crm.partnerPagesSince(new Date(from).toISOString(), signal)) {
    await applyPartners(deps, records)
  }
  await moveCursor(db, 'partners', begun)
}

/** Takes back what the CRM said of the partners' access, because the organisation has deleted the field (D116). */
export async function forgetAccess(deps: Pick<Deps, 'db' | 'jobs' | 'clock'>): Promise<void> {
  await deps.db.transaction().execute(async (tx) => follow(tx, deps, await forgetPortalAccessOfAllPartners(tx)))
}

async function applyPartners(deps: PartnerDeps, records: readonly CrmPartner[]): Promise<void> {
  await keepPartnerFacts(deps.db, records)
  await deps.db.transaction().execute(async (tx) => follow(tx, deps, await updatePortalAccess(tx, records)))
}

async function follow(
  tx: Tx,
  { jobs, clock }: Pick<Deps, 'jobs' | 'clock'>,
  changes: readonly ChangedAccess[],
): Promise<void> {
  const at = clock.now().toISOString()
  for (const { id: partnerId, was, access } of changes) {
    const isSuspended = access === 'suspended'
    if (isSuspended || was === 'suspended') {
      await jobs.enqueue(tx, FOLLOW_ACCESS_QUEUE, { partnerId, isSuspended, at })
    }
    if (access === 'active') await jobs.enqueue(tx, CONNECT_QUEUE, { partnerId })
  }
}
