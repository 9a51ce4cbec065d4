import type { BegunSession, SecondStep } from '@portal/contract/accounts.ts'
import type { FinishSignIn, PasskeyQuestion, UsedPasskey } from '@portal/contract/second-factor.ts'
import type { Deps } from '../../../deps.ts'
import type { Tx } from '../../../platform/db/database.ts'
import { inTransaction } from '../../../platform/db/in-transaction.ts'
import { PortalError, Unauthorized } from '../../../platform/errors.ts'
import { type Limit, limitVisitor, type RateLimit } from '../../../platform/http/rate-limit.ts'
import type { NoteSecurity } from '../../../platform/http/security-events.ts'
import type { Visitor } from '../../../platform/http/visitor.ts'
import { findAccountToken, insertAccountToken, takeAccountToken } from '../account-tokens.queries.ts'
import { beginSession, type Proof, refuseInactive, signInExpired } from '../begin-session.ts'
import { countedBy, knownBy } from '../known-sources.ts'
import { findPerson, getPerson, lockPerson, type Person } from '../people.queries.ts'
import { hashToken, newToken } from '../tokens.ts'
import { takeCode, WRONG_CODE, WRONG_CODES } from './check-code.ts'
import { findKinds } from './factors.ts'
import { findPasskeyOfAnyPartner } from './passkeys.queries.ts'
import { askPasskey, personOfPasskey } from './passkeys.ts'

const SECOND_STEP_MS = 10 * 60_000

/** Limits challenges for passkeys, because each challenge is stored as a row. */
const QUESTIONS: RateLimit = {
  name: 'passkey-questions',
  points: 300,
  seconds: 3_600,
  text: 'Too many sign-in attempts. Please wait a few minutes before trying again.',
}

interface SignInCall {
  visitor: Visitor
  limit: Limit
  security: NoteSecurity
}

/** The answer to the right password if the person has a second factor; otherwise undefined. */
export async function secondStepFor(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  person: Person,
  isSamePassword: (tx: Tx) => Promise<boolean>,
): Promise<SecondStep | undefined> {
  const kinds = await findKinds(db, person.id)
  if (kinds.length === 0) return undefined
  const token = newToken()
  const expiresAt = new Date(clock.now().getTime() + SECOND_STEP_MS).toISOString()
  await inTransaction(db, async (tx) => {
    await lockPerson(tx, person.id)
    if (!(await isSamePassword(tx))) throw signInExpired()
    await insertAccountToken(tx, { hash: hashToken(token), personId: person.id, purpose: 'second-factor', expiresAt })
  })
  return { second_factor: { token, kinds } }
}

/**
 * Checks the second factor and begins the session. After a wrong code the person can try again. After five wrong
 * codes the person must wait 15 minutes.
 */
export async function finishSecondStep(deps: Deps, form: FinishSignIn, call: SignInCall): Promise<BegunSession> {
  const tokenHash = hashToken(form.token)
  const person = await getPerson(deps.db, await personOfStep(deps, tokenHash))
  const who = { partner: person.partner_id, person: person.id }
  try {
    const counted = await call.limit(WRONG_CODES, await codeTriesOf(deps, person, call.visitor))
    refuseInactive(person)
    const factor = await checkFactor(deps, person, form, call.security)
    await counted.giveBack()
    const now = deps.clock.now().toISOString()
    return await beginSession(deps, person, call, {
      factor,
      // A change of the password or the removal of a factor removes the token.
      stillCounts: async (tx) => (await takeAccountToken(tx, tokenHash, 'second-factor', now)) !== undefined,
    })
  } catch (error) {
    if (error instanceof PortalError)
      await call.security(deps.db, 'second-factor-failed', { ...who, reason: error.code })
    throw error
  }
}

/**
 * The key under which wrong codes are counted. All unknown sources share one count. A browser or IP address from which
 * the person has already signed in gets a count of its own, because otherwise anybody who knows the password could lock
 * the person out for ever (D53).
 */
async function codeTriesOf({ db }: Pick<Deps, 'db'>, { id, email }: Person, visitor: Visitor): Promise<string> {
  const known = await knownBy(db, email, visitor)
  return known === undefined ? id : `${id} ${countedBy(known, visitor)}`
}

/** Makes a challenge for any passkey, or for a passkey of the person whose second step has this token. */
export async function askForPasskeyOf(
  deps: Deps,
  token: string | undefined,
  { visitor, limit }: Pick<SignInCall, 'visitor' | 'limit'>,
): Promise<PasskeyQuestion> {
  await limitVisitor(limit, QUESTIONS, visitor)
  return askPasskey(deps, token === undefined ? undefined : await personOfStep(deps, hashToken(token)))
}

/**
 * Signs in with a passkey alone. The passkey replaces the password and the second step, because the device asked for a
 * fingerprint, face or PIN.
 */
export async function signInByPasskey(deps: Deps, passkey: UsedPasskey, call: SignInCall): Promise<BegunSession> {
  const personId = await personOfPasskey(deps, passkey, { mustVerifyUser: true })
  const person = personId === undefined ? undefined : await findPerson(deps.db, personId)
  try {
    if (!person)
      throw new Unauthorized('INVALID_PASSKEY', 'We do not recognise this passkey, or the sign-in took too long.')
    refuseInactive(person)
  } catch (error) {
    if (error instanceof PortalError) {
      await call.security(deps.db, 'sign-in-failed', {
        partner: person?.partner_id,
        person: person?.id,
        reason: error.code,
      })
    }
    throw error
  }
  return beginSession(deps, person, call, {
    factor: 'passkey',
    stillCounts: async (tx) => (await findPasskeyOfAnyPartner(tx, passkey.id))?.person_id === person.id,
  })
}

async function personOfStep({ db, clock }: Pick<Deps, 'db' | 'clock'>, tokenHash: Buffer): Promise<string> {
  const known = await findAccountToken(db, tokenHash, 'second-factor')
  if (!known || known.expires_at <= clock.now().toISOString()) throw signInExpired()
  return known.person_id
}

async function checkFactor(
  deps: Deps,
  person: Person,
  form: FinishSignIn,
  security: NoteSecurity,
): Promise<Proof['factor']> {
  if (form.passkey) {
    if ((await personOfPasskey(deps, form.passkey, { mustVerifyUser: false })) !== person.id) {
      throw new Unauthorized(
        'INVALID_PASSKEY',
        'This passkey does not belong to this account, or the sign-in took too long.',
      )
    }
    return 'passkey'
  }
  const factor = await takeCode(deps, person, form.code ?? '', security)
  if (!factor) throw new Unauthorized('INVALID_CODE', WRONG_CODE)
  return factor
}
