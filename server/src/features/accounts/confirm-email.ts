import type { Tx } from '../../db/database.ts'
import { markEmailVerified, removeAccountTokens } from './accounts.queries.ts'

/** Connects a partner with the records that it has in the CRM: another feature's, which app.ts hands over. */
export type ConnectRecords = (tx: Tx, partnerId: string) => Promise<void>

/**
 * The address is its owner's. Records of the CRM that waited for this are connected, and no link of a mail closes the
 * account any more (D52). False when the address was confirmed before.
 */
export async function confirmEmail(tx: Tx, partnerId: string, connectRecords: ConnectRecords): Promise<boolean> {
  const confirmed = await markEmailVerified(tx, partnerId)
  await removeAccountTokens(tx, partnerId, 'verify-email')
  if (confirmed?.wasHeld) await connectRecords(tx, partnerId)
  return confirmed !== undefined
}
