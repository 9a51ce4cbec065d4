import { AGREEMENT_CHANGED, type AgreementState } from '@portal/contract/agreement.ts'
import { personName } from '@portal/contract/person-name.ts'
import { reaches } from '@portal/contract/roles.ts'
import { FORMER_COLLEAGUE } from '@portal/contract/submitted-by.ts'
import type { Deps } from '../../../deps.ts'
import { inTransaction } from '../../../platform/db/in-transaction.ts'
import { Conflict } from '../../../platform/errors.ts'
import type { SessionCaller } from '../../../platform/http/authenticate.ts'
import type { NoteSecurity } from '../../../platform/http/security-events.ts'
import type { Visitor } from '../../../platform/http/visitor.ts'
import { lockPartner } from '../../../records/partners/partners.queries.ts'
import type { ConnectRecords } from '../confirm-email.ts'
import { lockCaller } from '../lock-caller.ts'
import { pushChangedPartner } from '../push-changed-partner.ts'
import { findAcceptances, insertAcceptance } from './agreement.queries.ts'
import { isRequired } from './require-agreement.ts'

type AgreementDeps = Pick<Deps, 'db' | 'jobs' | 'clock' | 'config' | 'agreement'>

/**
 * Accepts the agreement for the business: the record, the entry in the security log and the push to the CRM are stored
 * together. A second acceptance of the same agreement, by the same or another owner, changes nothing.
 */
export async function acceptForBusiness(
  deps: AgreementDeps,
  caller: SessionCaller,
  read: { version: string; sha256: string },
  call: { visitor: Visitor; security: NoteSecurity; connectRecords: ConnectRecords },
): Promise<AgreementState> {
  const { db, clock, config, agreement } = deps
  if (agreement?.sha256 !== read.sha256 || agreement.version !== read.version) {
    throw new Conflict('CONFLICT', AGREEMENT_CHANGED)
  }
  const { version, sha256 } = agreement
  await inTransaction(db, async (tx) => {
    const partner = await lockPartner(tx, caller.id)
    await lockCaller(tx, { clock }, caller)
    const at = clock.now().toISOString()
    const { ip } = call.visitor
    const accepted = {
      partnerId: caller.id,
      personId: caller.personId,
      version,
      sha256,
      ip,
      at,
      timeZone: config.timezone,
    }
    if (!(await insertAcceptance(tx, accepted))) return
    await call.security(tx, 'agreement-accepted', { detail: `version ${version}, SHA-256 ${sha256}` })
    await pushChangedPartner(tx, deps, { partner, partnerId: caller.id, at }, call.connectRecords)
  })
  return findAgreementState(deps, caller)
}

export async function findAgreementState(
  deps: Pick<AgreementDeps, 'db' | 'clock' | 'config' | 'agreement'>,
  { id, role }: SessionCaller,
): Promise<AgreementState> {
  const { db, agreement } = deps
  const rows = await findAcceptances(db, id)
  const isOwner = reaches(role, 'owner')
  return {
    agreement: agreement
      ? {
          version: agreement.version,
          required_from: agreement.requiredFrom,
          text: agreement.text,
          sha256: agreement.sha256,
          is_required: isRequired(deps),
          is_accepted: rows.some((row) => row.sha256 === agreement.sha256),
        }
      : null,
    accepted: rows.map(({ version, sha256, agreed_at, ip, ...person }) => ({
      version,
      sha256,
      agreed_at,
      by: personName({ ...person, email: person.email ?? FORMER_COLLEAGUE }),
      ip: isOwner ? ip : null,
    })),
  }
}
