import type { Tx } from '../../platform/db/database.ts'
import { endHold, lockPartner } from '../../records/partners/partners.queries.ts'
import { markTokensVerified } from './account-tokens.queries.ts'
import { markEmailVerified, type Person } from './people.queries.ts'

/**
 * Queues the job that connects a partner with its records in the CRM. The job belongs to another feature, so app.ts
 * passes this function in.
 */
export type ConnectRecords = (tx: Tx, partnerId: string) => Promise<void>

/**
 * Marks the address as confirmed, because the person has proved that it is theirs. CRM records that waited for the
 * confirmation are connected, and mailed links can no longer close the account (D52) but say that it is confirmed. Returns false if the address was
 * confirmed before.
 */
export async function confirmEmail(
  tx: Tx,
  person: Pick<Person, 'id' | 'partner_id'>,
  connectRecords: ConnectRecords,
): Promise<boolean> {
  // Locks the partner before confirming the address, so that a push of the partner either has already marked the
  // partner as held or sees the confirmed address.
  const partner = await lockPartner(tx, person.partner_id)
  const isFirst = await markEmailVerified(tx, person.id)
  await markTokensVerified(tx, person.id)
  if (isFirst && partner?.crm === 'held') {
    await endHold(tx, person.partner_id)
    await connectRecords(tx, person.partner_id)
  }
  return isFirst
}
