import type { Deps } from '../../../deps.ts'
import { inTransaction } from '../../../platform/db/in-transaction.ts'
import { Conflict, Invalid, NotFound } from '../../../platform/errors.ts'
import type { SessionCaller } from '../../../platform/http/authenticate.ts'
import type { RateLimit } from '../../../platform/http/rate-limit.ts'
import type { NoteSecurity } from '../../../platform/http/security-events.ts'
import { lockCaller } from '../lock-caller.ts'
import { getPerson } from '../people.queries.ts'
import { WRONG_CODES } from './check-code.ts'
import { codesForFirstFactor, type FactorCall, noteAdded, noteRemoved } from './factors.ts'
import { findTotpSecret, keepWaitingTotpSecret, markTotpConfirmed, removeTotp } from './second-factor.queries.ts'
import { newTotpSecret, stepOfCode, totpSetUp } from './totp.ts'

/** Wrong codes for a new app do not pause the second step of a sign-in. */
const NEW_APP_CODES: RateLimit = { ...WRONG_CODES, name: 'new-app-codes' }

/** Makes the secret of a new authenticator app. Until a code confirms the secret, another call replaces it. */
export async function beginTotpApp(
  { db, secrets, clock, config }: Pick<Deps, 'db' | 'secrets' | 'clock' | 'config'>,
  { personId }: SessionCaller,
): Promise<{ secret: string; otpauth_url: string }> {
  const person = await getPerson(db, personId)
  const secret = newTotpSecret()
  if (!(await keepWaitingTotpSecret({ db, secrets }, personId, secret, clock.now().toISOString()))) {
    throw new Conflict('CONFLICT', 'There is an authenticator app already. Remove it before you add another one.')
  }
  return totpSetUp(secret, { issuer: config.brand.name, email: person.email })
}

/**
 * Adds the app if the code proves that the app has the secret. Returns recovery codes if the app is the person's first
 * second factor.
 */
export async function addTotpApp(
  deps: Deps,
  caller: SessionCaller,
  code: string,
  { limit, security }: FactorCall,
): Promise<{ recovery_codes: string[] | null }> {
  const { db, clock } = deps
  const now = clock.now()
  const waiting = await findTotpSecret(deps, caller.personId, 'waiting')
  if (!waiting) throw new Conflict('CONFLICT', 'Please start again: no authenticator app is waiting to be confirmed.')
  const counted = await limit(NEW_APP_CODES, caller.personId)
  const step = stepOfCode(waiting.secret, code, now)
  if (step === undefined) {
    const text = 'This code is wrong. Enter the code that your app shows now.'
    throw new Invalid('INVALID_CODE', text, { code: text })
  }
  await counted.giveBack()
  const codes = await codesForFirstFactor(db, caller.personId, limit)
  return inTransaction(db, async (tx) => {
    await lockCaller(tx, deps, caller)
    if (!(await markTotpConfirmed(tx, caller.personId, { secret: waiting.stored, step, at: now.toISOString() }))) {
      throw new Conflict('CONFLICT', 'Please start again: an app has been added or set up elsewhere in the meantime.')
    }
    const recoveryCodes = await noteAdded(tx, deps, caller, codes)
    await security(tx, 'totp-added')
    return { recovery_codes: recoveryCodes }
  })
}

export async function removeTotpApp(deps: Deps, caller: SessionCaller, security: NoteSecurity): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    await lockCaller(tx, deps, caller)
    if (!(await removeTotp(tx, caller.personId))) throw new NotFound('There is no authenticator app')
    await noteRemoved(tx, deps, caller)
    await security(tx, 'totp-removed')
  })
}
