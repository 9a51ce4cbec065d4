import { PASSKEYS_MAX } from '@portal/contract/limits.ts'
import type { NewPasskey, PasskeyCreation, PasskeyQuestion, UsedPasskey } from '@portal/contract/second-factor.ts'
import type { Deps } from '../../../deps.ts'
import { isId, newId } from '../../../platform/db/ids.ts'
import { inTransaction } from '../../../platform/db/in-transaction.ts'
import { Conflict, Invalid, NotFound } from '../../../platform/errors.ts'
import type { SessionCaller } from '../../../platform/http/authenticate.ts'
import type { NoteSecurity } from '../../../platform/http/security-events.ts'
import { lockCaller } from '../lock-caller.ts'
import { getPerson } from '../people.queries.ts'
import { codesForFirstFactor, type FactorCall, noteAdded, noteRemoved } from './factors.ts'
import {
  findPasskeyOfAnyPartner,
  findPasskeys,
  insertChallenge,
  insertPasskey,
  markPasskeyUsed,
  removePasskey,
  takeChallenge,
} from './passkeys.queries.ts'
import {
  CHALLENGE_MS,
  challengeOf,
  passkeyCreation,
  passkeyQuestion,
  readCreatedPasskey,
  readUsedPasskey,
} from './webauthn.ts'

/** The options that the browser needs to create a passkey for the caller. */
export async function beginPasskeyOf(deps: Deps, { personId }: SessionCaller): Promise<PasskeyCreation> {
  const { db, publicUrl, config } = deps
  const person = await getPerson(db, personId)
  const known = await findPasskeys(db, personId)
  refuseMore(known)
  const name = [person.first_name, person.last_name].filter(Boolean).join(' ') || person.business_name
  const portal = { publicUrl, brandName: config.brand.name }
  const creation = await passkeyCreation(portal, { id: personId, email: person.email, name }, known)
  await keepChallenge(deps, creation.challenge, personId)
  return creation
}

/** Adds the passkey. Returns recovery codes if the person had no second factor before. */
export async function addPasskeyOf(
  deps: Deps,
  caller: SessionCaller,
  { name, passkey }: NewPasskey,
  { limit, security }: FactorCall,
): Promise<{ recovery_codes: string[] | null }> {
  const { db, clock, publicUrl } = deps
  const now = clock.now()
  const challenge = challengeOf(passkey)
  const isOurs =
    challenge && (await takeChallenge(db, { challenge, personId: caller.personId, now: now.toISOString() }))
  const created = isOurs ? await readCreatedPasskey(publicUrl, passkey, challenge) : undefined
  if (!created) throw new Invalid('INVALID_PASSKEY', 'This passkey could not be added. Please try again.')
  const codes = await codesForFirstFactor(db, caller.personId, limit)
  return inTransaction(db, async (tx) => {
    await lockCaller(tx, deps, caller)
    refuseMore(await findPasskeys(tx, caller.personId))
    const row = { id: newId(now), person_id: caller.personId, name, created_at: now.toISOString(), ...created }
    if (!(await insertPasskey(tx, row))) throw new Conflict('CONFLICT', 'This passkey has already been added.')
    const recoveryCodes = await noteAdded(tx, deps, caller, codes)
    await security(tx, 'passkey-added')
    return { recovery_codes: recoveryCodes }
  })
}

export async function removePasskeyOf(
  deps: Deps,
  caller: SessionCaller,
  passkeyId: string,
  security: NoteSecurity,
): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    await lockCaller(tx, deps, caller)
    if (!isId(passkeyId) || !(await removePasskey(tx, caller.personId, passkeyId))) {
      throw new NotFound('Passkey not found')
    }
    await noteRemoved(tx, deps, caller)
    await security(tx, 'passkey-removed')
  })
}

/**
 * The options with which the browser asks for a passkey of this person or, without `personId`, for any passkey on the
 * device.
 */
export async function askPasskey(deps: Deps, personId: string | undefined): Promise<PasskeyQuestion> {
  const known = personId === undefined ? [] : await findPasskeys(deps.db, personId)
  const question = await passkeyQuestion(deps.publicUrl, known)
  await keepChallenge(deps, question.challenge, null)
  return question
}

/**
 * The id of the person whose passkey answered a challenge of the portal; undefined if the answer is not valid. With
 * `mustVerifyUser`, the device must have asked for a fingerprint, face or PIN, so that the passkey can replace the
 * password.
 */
export async function personOfPasskey(
  { db, clock, publicUrl }: Pick<Deps, 'db' | 'clock' | 'publicUrl'>,
  passkey: UsedPasskey,
  { mustVerifyUser }: { mustVerifyUser: boolean },
): Promise<string | undefined> {
  const now = clock.now().toISOString()
  const challenge = challengeOf(passkey)
  if (!challenge || !(await takeChallenge(db, { challenge, personId: null, now }))) return undefined
  const stored = await findPasskeyOfAnyPartner(db, passkey.id)
  const counter = stored && (await readUsedPasskey(publicUrl, passkey, { challenge, stored, mustVerifyUser }))
  if (!stored || counter === undefined) return undefined
  return (await markPasskeyUsed(db, stored.id, counter, now)) ? stored.person_id : undefined
}

function refuseMore(known: readonly unknown[]): void {
  if (known.length < PASSKEYS_MAX) return
  throw new Conflict('CONFLICT', `You already have ${PASSKEYS_MAX} passkeys. Remove one before you add another.`)
}

async function keepChallenge(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  challenge: string,
  personId: string | null,
): Promise<void> {
  const expiresAt = new Date(clock.now().getTime() + CHALLENGE_MS).toISOString()
  await insertChallenge(db, { challenge, personId, expiresAt })
}
