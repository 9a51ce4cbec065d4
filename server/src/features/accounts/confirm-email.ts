import type { Tx } from '../../db/database.ts'
import { removeAccountTokens } from './account-tokens.queries.ts'
import { endHold, lockPartner } from './accounts.queries.ts'
import { markEmailVerified, type Person } from './people.queries.ts'

/** Connects a partner with its records in the CRM. Another feature does that, so app.ts passes it in. */
export type ConnectRecords = (tx: Tx, partnerId: string) => Promise<void>

/**
 * The person has proved to own the address. Records of the CRM that waited for this are connected, and mailed links can
 * no longer close the account (D52). False when the address was confirmed before.
 */
export async function confirmEmail(
  tx: Tx,
  person: Pick<Person, 'id' | 'partner_id'>,
  connectRecords: ConnectRecords,
): Promise<boolean> {
  // The lock comes before the read of the address. A push that finds the address unconfirmed has then held the partner
  // already, or will not hold it.
  const partner = await lockPartner(tx, person.partner_id)
  const isFirst = await markEmailVerified(tx, person.id)
  await removeAccountTokens(tx, person.id, 'verify-email')
  if (isFirst && partner?.crm === 'held') {
    await endHold(tx, person.partner_id)
    await connectRecords(tx, person.partner_id)
  }
  return isFirst
}
