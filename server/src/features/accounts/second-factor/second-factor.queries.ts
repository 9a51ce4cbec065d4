import type { Db, Tx } from '../../../platform/db/database.ts'
import { decryptBytes, encryptBytes, totpSecretOf } from '../../../platform/db/reencrypt-secrets.ts'
import type { Secrets } from '../../../platform/db/secrets.ts'

interface SecretKeeper {
  db: Db
  secrets: Secrets
}

/**
 * Finds when the person added an app, how many passkeys and recovery codes there are, whether the partner requires a
 * second factor, and whether the person needs a recovery code to sign in.
 */
export function findFactors(db: Db, personId: string) {
  return db
    .selectFrom('people')
    .innerJoin('partners', 'partners.id', 'people.partner_id')
    .leftJoin('totp_keys', (join) =>
      join.onRef('totp_keys.person_id', '=', 'people.id').on('totp_keys.confirmed_at', 'is not', null),
    )
    .select((eb) => [
      'totp_keys.confirmed_at as totp_added_at',
      'partners.second_factor_required',
      'people.must_recover',
      eb
        .selectFrom('passkeys')
        .whereRef('passkeys.person_id', '=', 'people.id')
        .select((count) => count.cast<number>(count.fn.countAll(), 'integer').as('count'))
        .$asScalar()
        .$notNull()
        .as('passkeys'),
      eb
        .selectFrom('recovery_codes')
        .whereRef('recovery_codes.person_id', '=', 'people.id')
        .select((count) => count.cast<number>(count.fn.countAll(), 'integer').as('count'))
        .$asScalar()
        .$notNull()
        .as('recovery_codes'),
    ])
    .where('people.id', '=', personId)
    .executeTakeFirstOrThrow()
}

/**
 * The secret of the person's authenticator app: the confirmed secret, or the secret that waits for its first code.
 * Undefined if there is no such secret. Also undefined if no key in SECRETS_KEY opens the secret, so that a recovery
 * code still works.
 */
export async function findTotpSecret(
  { db, secrets }: SecretKeeper,
  personId: string,
  state: 'confirmed' | 'waiting',
): Promise<{ secret: Buffer; stored: Buffer } | undefined> {
  const row = await db
    .selectFrom('totp_keys')
    .select('secret')
    .where('person_id', '=', personId)
    .where('confirmed_at', state === 'confirmed' ? 'is not' : 'is', null)
    .executeTakeFirst()
  const stored = row?.secret
  if (!stored) return undefined
  try {
    return { secret: decryptBytes(secrets, stored, totpSecretOf(personId)), stored }
  } catch {
    return undefined
  }
}

/**
 * Stores a secret that waits for its first code, and replaces an earlier waiting secret. Returns false if the person
 * has a confirmed secret.
 */
export async function keepWaitingTotpSecret(
  { db, secrets }: SecretKeeper,
  personId: string,
  bytes: Buffer,
  at: string,
): Promise<boolean> {
  const secret = encryptBytes(secrets, bytes, totpSecretOf(personId))
  const row = await db
    .insertInto('totp_keys')
    .values({ person_id: personId, secret, created_at: at })
    .onConflict((conflict) =>
      conflict
        .column('person_id')
        .doUpdateSet({ secret, created_at: at, last_step: 0 })
        .where('totp_keys.confirmed_at', 'is', null),
    )
    .returning('person_id')
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Marks a waiting secret as confirmed. `secret` is the stored, encrypted secret. Returns false if another call was
 * first, or if the secret has been replaced.
 */
export async function markTotpConfirmed(
  tx: Tx,
  personId: string,
  { secret, step, at }: { secret: Buffer; step: number; at: string },
): Promise<boolean> {
  const row = await tx
    .updateTable('totp_keys')
    .set({ confirmed_at: at, last_step: step })
    .where('person_id', '=', personId)
    .where('secret', '=', secret)
    .where('confirmed_at', 'is', null)
    .returning('person_id')
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Uses up the code of this step. Returns false if the code of this or a later step has been used, or if there is no
 * confirmed app. If two calls come at once, only one succeeds.
 */
export async function takeTotpStep(db: Db, personId: string, step: number): Promise<boolean> {
  const row = await db
    .updateTable('totp_keys')
    .set({ last_step: step })
    .where('person_id', '=', personId)
    .where('confirmed_at', 'is not', null)
    .where('last_step', '<', step)
    .returning('person_id')
    .executeTakeFirst()
  return row !== undefined
}

/** Removes the secret of the confirmed app. Returns false if there was no confirmed app. */
export async function removeTotp(tx: Tx, personId: string): Promise<boolean> {
  const row = await tx
    .deleteFrom('totp_keys')
    .where('person_id', '=', personId)
    .where('confirmed_at', 'is not', null)
    .returning('person_id')
    .executeTakeFirst()
  return row !== undefined
}

export async function removeTotpAddedSince(tx: Tx, personId: string, at: string): Promise<void> {
  await tx
    .deleteFrom('totp_keys')
    .where('person_id', '=', personId)
    .where((eb) => eb(eb.fn.coalesce('confirmed_at', 'created_at'), '>=', at))
    .execute()
}

export async function findRecoveryCodeHashes(db: Db, personId: string): Promise<string[]> {
  const rows = await db.selectFrom('recovery_codes').select('code_hash').where('person_id', '=', personId).execute()
  return rows.map(({ code_hash }) => code_hash)
}

/** Replaces the person's earlier codes. */
export async function replaceRecoveryCodes(tx: Tx, personId: string, hashes: readonly string[]): Promise<void> {
  await removeRecoveryCodes(tx, personId)
  await tx
    .insertInto('recovery_codes')
    .values(hashes.map((code_hash) => ({ person_id: personId, code_hash })))
    .execute()
}

export async function removeRecoveryCodes(tx: Tx, personId: string): Promise<void> {
  await tx.deleteFrom('recovery_codes').where('person_id', '=', personId).execute()
}

/** Uses up the code. Returns false if it was used or replaced already. If two calls come at once, only one succeeds. */
export async function takeRecoveryCode(db: Db, personId: string, codeHash: string): Promise<boolean> {
  const row = await db
    .deleteFrom('recovery_codes')
    .where('person_id', '=', personId)
    .where('code_hash', '=', codeHash)
    .returning('person_id')
    .executeTakeFirst()
  return row !== undefined
}

/** Stores whether the person signs in with a recovery code, and then sets up a new factor. */
export async function updateMustRecover(tx: Tx, personId: string, mustRecover: boolean): Promise<void> {
  await tx.updateTable('people').set({ must_recover: mustRecover }).where('id', '=', personId).execute()
}

/** Returns false if the setting has this value already. */
export async function updateSecondFactorRequired(tx: Tx, partnerId: string, isRequired: boolean): Promise<boolean> {
  const update = await tx
    .updateTable('partners')
    .set({ second_factor_required: isRequired })
    .where('id', '=', partnerId)
    .where('second_factor_required', '!=', isRequired)
    .executeTakeFirst()
  return update.numUpdatedRows > 0n
}

/** Removes secrets that were made before this time and never confirmed by a code. Returns how many. */
export async function removeWaitingTotpSecretsOfAllPartners(db: Db, before: string, rowsMax: number): Promise<number> {
  const removal = await db
    .deleteFrom('totp_keys')
    .where('person_id', 'in', (eb) =>
      eb
        .selectFrom('totp_keys')
        .select('person_id')
        .where('confirmed_at', 'is', null)
        .where('created_at', '<', before)
        .limit(rowsMax),
    )
    .executeTakeFirst()
  return Number(removal.numDeletedRows)
}
