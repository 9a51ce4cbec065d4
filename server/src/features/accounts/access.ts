import type { Access } from '@portal/contract/accounts.ts'
import type { Tx } from '../../db/database.ts'
import type { Person } from './people.queries.ts'

/**
 * The ways into a partner's account besides passwords. The API key and the webhook URL belong to other features, so
 * app.ts passes them in.
 */
export interface AccountAccess {
  find(tx: Tx, partnerId: string): Promise<Omit<Access, 'revoked'>>
  revoke(tx: Tx, partnerId: string): Promise<void>
}

/**
 * Returns the access that exists, or that existed before this revoked it. Only for owners, because other people neither
 * see nor revoke it.
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

/** Says in the security log what was revoked; undefined if nothing was. */
export function revokedText({ revoked, api_key, webhook_url }: Access): string | undefined {
  const gone = revoked ? [api_key && 'API key', webhook_url && 'webhook URL'].filter(Boolean) : []
  return gone.length > 0 ? `${gone.join(' and ')} revoked` : undefined
}
