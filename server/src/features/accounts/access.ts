import type { Access } from '@portal/contract/accounts.ts'
import type { Tx } from '../../db/database.ts'

/** What opens an account besides its password. The key and the webhook URL are other features', which app.ts hands over. */
export interface AccountAccess {
  find(tx: Tx, partnerId: string): Promise<Omit<Access, 'revoked'>>
  revoke(tx: Tx, partnerId: string): Promise<void>
}

/** What there was or is, after it was revoked if that is wanted. */
export async function settleAccess(
  tx: Tx,
  access: AccountAccess,
  partnerId: string,
  isRevoked: boolean,
): Promise<Access> {
  const found = await access.find(tx, partnerId)
  if (isRevoked) await access.revoke(tx, partnerId)
  return { ...found, revoked: isRevoked }
}
