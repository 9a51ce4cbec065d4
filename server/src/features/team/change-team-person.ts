import { personName } from '@portal/contract/person-name.ts'
import { hasEveryRight } from '@portal/contract/person-rights.ts'
import { ROLE_NAMES } from '@portal/contract/roles.ts'
import type { PersonChange, TeamPerson } from '@portal/contract/team.ts'
import { pushPartner } from '../../crm/push/push-partner.job.ts'
import type { Deps } from '../../deps.ts'
import type { Tx } from '../../platform/db/database.ts'
import { inTransaction } from '../../platform/db/in-transaction.ts'
import { Conflict, NotFound } from '../../platform/errors.ts'
import type { Caller, SessionCaller } from '../../platform/http/authenticate.ts'
import type { NoteSecurity } from '../../platform/http/security-events.ts'
import { lockPartner, updateForCrm } from '../../records/partners/partners.queries.ts'
import { removeAccountTokens } from '../accounts/account-tokens.queries.ts'
import { lockCaller } from '../accounts/lock-caller.ts'
import { enqueueNotice, enqueueNoticeToOwners } from '../accounts/mail-notice.job.ts'
import { findActiveOwners, findContact, findTeamPerson, updateTeamPerson } from '../accounts/people.queries.ts'
import { removeSessions } from '../accounts/sessions.queries.ts'
import { removeInvitationsBy } from './invitations.queries.ts'

/**
 * Changes the role, the right to see payments and the access of one of the partner's people. A partner always keeps an active owner (D61), even if two
 * owners change each other's role or access at the same time. The sessions of a deactivated person end, and so do the
 * open invitations of a person who is no longer an active owner. The records that the person submitted stay.
 */
export function changeTeamPerson(
  deps: Pick<Deps, 'db' | 'clock' | 'jobs'>,
  partner: SessionCaller | Pick<Caller, 'id' | 'businessName'>,
  personId: string,
  change: PersonChange,
  security: NoteSecurity,
): Promise<TeamPerson> {
  return inTransaction(deps.db, async (tx) => {
    await lockPartner(tx, partner.id)
    // An operator has no session to check.
    if ('token' in partner) await lockCaller(tx, deps, partner)
    return changePersonIn(tx, deps, partner, personId, change, security)
  })
}

/** Changes the person within a transaction that holds the partner's lock. */
export async function changePersonIn(
  tx: Tx,
  deps: Pick<Deps, 'clock' | 'jobs'>,
  partner: Pick<Caller, 'id' | 'businessName'>,
  personId: string,
  change: PersonChange,
  security: NoteSecurity,
): Promise<TeamPerson> {
  const { clock, jobs } = deps
  const before = await findTeamPerson(tx, partner.id, personId)
  if (!before) throw new NotFound('Person not found')
  const contact = await findContact(tx, partner.id)
  const at = clock.now().toISOString()
  const { role = before.role, is_active = before.is_active } = change
  // The right falls with the owner role (D111).
  const { sees_money = before.role !== 'owner' && before.sees_money } = change
  if (hasEveryRight(role) && change.sees_money === false) {
    throw new Conflict('CONFLICT', 'Owners always see payments. Change the role first.')
  }
  const changed = { role, is_active, sees_money: !hasEveryRight(role) && sees_money }
  const after = await updateTeamPerson(tx, partner.id, personId, changed, at)
  if (change.sees_money && !after.sees_money) throw new Conflict('CONFLICT', 'The lender’s CRM has no payments.')
  if ((await findActiveOwners(tx, partner.id)).length === 0) {
    throw new Conflict(
      'LAST_OWNER',
      `${partner.businessName} needs an active owner. Make somebody else an owner first.`,
    )
  }
  if (!after.is_active) {
    await removeSessions(tx, personId)
    await removeAccountTokens(tx, personId)
  }
  if (!after.is_active || after.role !== 'owner') await removeInvitationsBy(tx, partner.id, personId)
  if ((await findContact(tx, partner.id))?.person_id !== contact?.person_id) {
    await updateForCrm(tx, partner.id, {}, at)
    await jobs.enqueue(tx, pushPartner, { partnerId: partner.id })
  }
  const subject = { id: after.id, name: personName(after) }
  if (before.role !== after.role) {
    const about = { name: subject.name, email: after.email, role: after.role }
    await enqueueNoticeToOwners(tx, deps, partner.id, 'role-changed', { about })
    if (before.role === 'owner') await enqueueNotice(tx, deps, personId, 'role-changed', { about })
    await security(tx, 'role-changed', { subject, detail: `${ROLE_NAMES[before.role]} to ${ROLE_NAMES[after.role]}` })
  }
  if (before.is_active !== after.is_active) {
    await security(tx, after.is_active ? 'person-activated' : 'person-deactivated', { subject })
  }
  if (before.sees_money !== after.sees_money) {
    await security(tx, after.sees_money ? 'payments-shown' : 'payments-hidden', { subject })
  }
  return after
}
