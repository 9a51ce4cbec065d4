import type { Access } from '@portal/contract/accounts.ts'
import type { Tx } from '../../db/database.ts'
import type { Person } from './people.queries.ts'

/**
 * Finds and revokes the API key and the webhook URL, which give access to a partner's data without a password. Both
 * belong to other features, so app.ts passes these functions in.
 */
export interface AccountAccess {
  find(tx: Tx, partnerId: string): Promise<Omit<Access, 'revoked'>>
  revoke(tx: Tx, partnerId: string): Promise<void>
}

/**
 * Returns the partner's API key and webhook URL, and revokes them if `isRevoked`. Does nothing for a person who is not
 * an owner, because only owners may see or revoke them.
 */
export async function settleAccess(
  tx: Tx,
  access: AccountAccess,
  person: Pick<Person, 'partner_id' | 'role'>,
  isRevoked: boolean,
): Promise<Access> {
  if (person.role !== 'owner') return { api_key: null, webhook_url: null, revoked: false }
  const found = await access.find(tx, person.partner_id)
  if (isRevoked) await access.revoke(tx, person.partner_id)
  return { ...found, revoked: isRevoked }
}

/** The security log's text about the revoked access; undefined if nothing was revoked. */
export function revokedText({ revoked, api_key, webhook_url }: Access): string | undefined {
  const gone = revoked ? [api_key && 'API key', webhook_url && 'webhook URL'].filter(Boolean) : []
  return gone.length > 0 ? `${gone.join(' and ')} revoked` : undefined
}
