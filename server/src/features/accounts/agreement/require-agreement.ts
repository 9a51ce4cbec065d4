import type { OpenAgreement } from '@portal/contract/agreement.ts'
import type { Deps } from '../../../deps.ts'
import type { Db, Tx } from '../../../platform/db/database.ts'
import { Conflict } from '../../../platform/errors.ts'
import { hasAccepted } from './agreement.queries.ts'

type AgreementDeps = Pick<Deps, 'agreement' | 'clock' | 'config'>

/** From its day on, nothing is submitted before an owner has accepted the agreement (D113). Reading goes on. */
export async function requireAgreement(db: Db | Tx, deps: AgreementDeps, partnerId: string): Promise<void> {
  const { agreement } = deps
  if (!agreement || !isRequired(deps) || (await hasAccepted(db, partnerId, agreement.sha256))) return
  throw new Conflict(
    'AGREEMENT_REQUIRED',
    `An owner of your business must first accept the lender’s agreement, version ${agreement.version}, under Profile, Notifications.`,
  )
}

/** The agreement that the business has not accepted yet. */
export async function findOpenAgreement(
  deps: AgreementDeps & Pick<Deps, 'db'>,
  partnerId: string,
): Promise<OpenAgreement | null> {
  const { agreement, db } = deps
  if (!agreement || (await hasAccepted(db, partnerId, agreement.sha256))) return null
  return { version: agreement.version, required_from: agreement.requiredFrom, is_required: isRequired(deps) }
}

/** Whether the day has come in the portal's time zone. */
export function isRequired({ agreement, clock, config }: AgreementDeps): boolean {
  // The dates of this locale are written as YYYY-MM-DD.
  const today = new Intl.DateTimeFormat('en-CA', { timeZone: config.timezone, dateStyle: 'short' }).format(clock.now())
  return agreement !== undefined && agreement.requiredFrom <= today
}
