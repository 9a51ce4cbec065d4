import { BUSINESS_NAME_LENGTH_MAX, NAME_LENGTH_MAX, PHONE_LENGTH_MAX } from '@portal/contract/limits.ts'
import { optionalName, requiredName } from '@portal/contract/own-names.ts'
import { Email, optionalText } from '@portal/contract/text.ts'
import type { Deps } from '../../deps.ts'
import { chunksOf } from '../../platform/chunks-of.ts'
import type { Tx } from '../../platform/db/database.ts'
import type { CrmPartner } from '../../records/crm-records.ts'
import { findFieldGroups } from '../../records/kinds/field-groups.queries.ts'
import { keepPartnerFacts } from '../../records/partners/partner-facts.queries.ts'
import {
  endInvitationsOfGone,
  isInvitationWaiting,
  keepInvitations,
  type ReadInvitation,
} from '../../records/partners/partner-invitations.queries.ts'
import { findPartnersByZohoId } from '../../records/partners/partners.queries.ts'
import { findConnectedPartners, updateTaxDetails } from '../../records/partners/partners-in-crm.queries.ts'
import {
  type ChangedAccess,
  forgetPortalAccessOfAllPartners,
  updatePortalAccess,
} from '../../records/partners/portal-access.queries.ts'
import { CONNECT_QUEUE, FOLLOW_ACCESS_QUEUE, INVITE_QUEUE } from '../queues.ts'
import { lookAfterGonePartners } from './keep-of-gone-partners.ts'
import { beginAtCursor, endCursor, findCursor, moveCursor } from './sweep/sweep-cursors.queries.ts'

const PARTNERS_A_CALL = 100
/** As for other lists, Zoho may show a record a little later than its time says. */
const OVERLAP_MS = 60_000

const LONG_AGO = new Date(0).toISOString()

type PartnerDeps = Pick<Deps, 'db' | 'crm' | 'jobs' | 'clock' | 'config'>

/**
 * Reads what the CRM says of the partners with these records (D114, D116), and looks after those whose record is gone
 * (D123). Records of nobody in the portal cost a call only where the lender's team invites partners.
 */
export async function pullPartners(deps: Deps, zohoIds: readonly string[], signal: AbortSignal): Promise<void> {
  const invites = await isInviting(deps)
  const linked = (await findPartnersByZohoId(deps.db, zohoIds)).map((partner) => partner.zoho_id)
  for (const ids of chunksOf(invites ? zohoIds : linked, PARTNERS_A_CALL)) {
    const { records, problems } = await deps.crm.getPartners(ids, signal)
    await applyPartners(deps, records)
    const read = new Set([...records, ...problems].map((one) => one.zoho_id))
    const gone = ids.filter((id) => !read.has(id))
    await lookAfterGonePartners({ deps, signal }, gone)
    if (invites) await deps.db.transaction().execute((tx) => endInvitationsOfGone(tx, gone))
  }
}

export async function pullAllPartners(deps: Deps, signal: AbortSignal): Promise<void> {
  const connected = await findConnectedPartners(deps.db)
  await pullPartners(
    deps,
    connected.map((partner) => partner.zoho_id),
    signal,
  )
}

/**
 * Reads what has changed since the last sweep. What stood there before is read when a partner or a field appears, and
 * once for the invitations.
 */
export async function sweepPartners(deps: PartnerDeps, signal: AbortSignal): Promise<void> {
  const { db, crm } = deps
  const groups = await findFieldGroups(db)
  const invites = await isInviting(deps)
  if (!invites) await endCursor(db, 'invited')
  if (!groups.has('manager') && !groups.has('access') && !groups.has('tax')) return
  const begun = crm.now().toISOString()
  const position = await beginAtCursor(db, 'partners', begun)
  const isFirst = invites && (await findCursor(db, 'invited')) === undefined
  const from = Date.parse(isFirst ? LONG_AGO : position) - OVERLAP_MS
  for await (const { records } of crm.partnerPagesSince(new Date(from).toISOString(), signal)) {
    await applyPartners(deps, records)
  }
  await moveCursor(db, 'partners', begun)
  if (isFirst) await beginAtCursor(db, 'invited', begun)
}

/** Whether the lender's team invites partners by a word of their records (D116). */
async function isInviting({ db, config }: Pick<Deps, 'db' | 'config'>): Promise<boolean> {
  return config.signUp === 'invite' && (await findFieldGroups(db)).has('access')
}

/** Takes back what the CRM said of the partners' access, because the organisation has deleted the field (D116). */
export async function forgetAccess(deps: Pick<Deps, 'db' | 'jobs' | 'clock'>): Promise<void> {
  await deps.db.transaction().execute(async (tx) => follow(tx, deps, await forgetPortalAccessOfAllPartners(tx)))
}

async function applyPartners(deps: PartnerDeps, records: readonly CrmPartner[]): Promise<void> {
  await keepPartnerFacts(deps.db, records)
  await deps.db.transaction().execute(async (tx) => {
    await updateTaxDetails(tx, records)
    await follow(tx, deps, await updatePortalAccess(tx, records))
    if (deps.config.signUp !== 'invite') return
    await keepInvitations(tx, records.map(invitationOf))
    if (await isInvitationWaiting(tx)) await deps.jobs.enqueue(tx, INVITE_QUEUE, {})
  })
}

function invitationOf({ zoho_id, modified_time, portal_access, ...said }: CrmPartner): ReadInvitation {
  if (portal_access !== 'Invited') return { zoho_id, modified_time, invited: null }
  const invited = {
    email: Email.safeParse(said.email).data ?? null,
    business_name: requiredName('Name', BUSINESS_NAME_LENGTH_MAX).safeParse(said.business_name).data ?? null,
    first_name: optionalName('Name', NAME_LENGTH_MAX).safeParse(said.first_name).data ?? null,
    last_name: optionalName('Name', NAME_LENGTH_MAX).safeParse(said.last_name).data ?? null,
    phone: optionalText('Phone', PHONE_LENGTH_MAX).safeParse(said.phone).data ?? null,
  }
  return { zoho_id, modified_time, invited }
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
