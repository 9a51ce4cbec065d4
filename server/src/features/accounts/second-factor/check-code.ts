import type { Deps } from '../../../deps.ts'
import { inTransaction } from '../../../platform/db/in-transaction.ts'
import type { RateLimit } from '../../../platform/http/rate-limit.ts'
import type { NoteSecurity } from '../../../platform/http/security-events.ts'
import { enqueueNotice } from '../mail-notice.job.ts'
import type { Person } from '../people.queries.ts'
import { findRecoveryCode } from './recovery-codes.ts'
import { findRecoveryCodeHashes, findTotpSecret, takeRecoveryCode, takeTotpStep } from './second-factor.queries.ts'
import { stepOfCode } from './totp.ts'

/** Limits wrong codes, because a caller who needs a code knows the password or has a session (D66). */
export const WRONG_CODES: RateLimit = {
  name: 'second-factor',
  points: 5,
  seconds: 900,
  pauseSeconds: 900,
  text: 'Too many wrong codes. Please wait 15 minutes before trying again.',
}

export const WRONG_CODE = 'This code is wrong or has already been used.'

/** Uses up a code of the person's authenticator app, or a recovery code. Undefined if it is neither, or used already. */
export async function takeCode(
  deps: Deps,
  person: Pick<Person, 'id' | 'partner_id'>,
  code: string,
  security: NoteSecurity,
): Promise<'app code' | 'recovery code' | undefined> {
  if (await isTotpCode(deps, person.id, code)) return 'app code'
  if (!(await isRecoveryCode(deps, person.id, code))) return undefined
  await security(deps.db, 'recovery-code-used', { partner: person.partner_id, person: person.id })
  return 'recovery code'
}

async function isTotpCode({ db, secrets, clock }: Deps, personId: string, code: string): Promise<boolean> {
  const found = await findTotpSecret({ db, secrets }, personId, 'confirmed')
  const step = found && stepOfCode(found.secret, code, clock.now())
  return step !== undefined && (await takeTotpStep(db, personId, step))
}

/** Uses up the code and mails the person, because somebody else may have found the person's codes. */
async function isRecoveryCode(deps: Deps, personId: string, code: string): Promise<boolean> {
  const hash = await findRecoveryCode(await findRecoveryCodeHashes(deps.db, personId), code)
  if (hash === undefined) return false
  return inTransaction(deps.db, async (tx) => {
    const isTaken = await takeRecoveryCode(tx, personId, hash)
    if (isTaken) await enqueueNotice(tx, deps, personId, 'recovery-code-used')
    return isTaken
  })
}
