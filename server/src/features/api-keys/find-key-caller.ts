import { KEY_NAME, namedSystem } from '@portal/contract/submitted-by.ts'
import type { Deps } from '../../deps.ts'
import { minuteOf } from '../../platform/db/minute-of.ts'
import type { KeyCaller } from '../../platform/http/authenticate.ts'
import { accountSuspended } from '../accounts/account-suspended.ts'
import { findKeyOwner, markKeyUsed, rightsOf } from './api-keys.queries.ts'
import { hashKey, isWellFormedKey } from './key-format.ts'

/**
 * Finds the partner that a key belongs to. Nothing is remembered between calls, so a replaced or revoked key stops
 * working at once in every process. A key with a wrong form or checksum is refused without a look-up in the database.
 * Throws if the lender has suspended the partner (D116).
 */
export async function findKeyCaller(
  { db, reads, clock, log }: Pick<Deps, 'db' | 'reads' | 'clock' | 'log'>,
  key: string,
): Promise<KeyCaller | undefined> {
  if (!isWellFormedKey(key)) return undefined
  const keyHash = hashKey(key)
  const owner = await findKeyOwner(reads, keyHash)
  if (!owner) return undefined
  if (owner.access === 'suspended') throw accountSuspended(owner)
  const minute = minuteOf(clock.now())
  if (owner.last_used_at === null || owner.last_used_at < minute) {
    // The request does not wait for this write.
    markKeyUsed(db, owner.key_id === null ? 'api_keys' : 'named_api_keys', keyHash, minute).catch((error: unknown) =>
      log.warn({ err: error }, 'the last use of an API key could not be recorded'),
    )
  }
  return {
    id: owner.id,
    businessName: owner.business_name,
    submitter: { id: null, name: owner.name === null ? KEY_NAME : namedSystem(owner.name) },
    keyHash,
    rights: rightsOf(owner),
    key: owner.key_id === null || owner.name === null ? null : { id: owner.key_id, name: owner.name },
  }
}
