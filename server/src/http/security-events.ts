import type { SecurityEvent } from '@portal/contract/security-log.ts'
import type { Logger } from 'pino'
import type { Db, Tx } from '../db/database.ts'

/**
 * A call's description of an event, besides the caller. It contains no text from outside, so it cannot contain a
 * secret.
 */
export interface SecurityFacts {
  /** Its id, and never its email; absent where the account is not known. */
  partner?: string | undefined
  /** The person who did it, or whose account it is. */
  person?: string | undefined
  /** The other person it was done to. */
  subject?: { id: string; name: string } | undefined
  /** More about it, in the portal's own words. */
  detail?: string | undefined
  /** An error code, where it did not succeed. */
  reason?: string | undefined
}

/**
 * Notes one event with who called: in the partner's security log, where the account is known, and as one line of the server's.
 * With the transaction of what happened, the two are stored together or not at all.
 */
export type NoteSecurity = (db: Db | Tx, event: SecurityEvent, facts?: SecurityFacts) => Promise<void>

/** Where an event came from; nothing for what an operator does. */
interface Source {
  ip?: string
  browser?: string | null
}

/** The security log is a feature's, which app.ts hands over. */
export type StoreSecurity = (
  db: Db | Tx,
  partnerId: string,
  entry: Source & Omit<SecurityFacts, 'partner'> & { event: SecurityEvent },
) => Promise<void>

export async function noteSecurity(
  { log, store }: { log: Pick<Logger, 'info'>; store: StoreSecurity },
  db: Db | Tx,
  event: SecurityEvent,
  { partner, subject, ...facts }: SecurityFacts & Source,
): Promise<void> {
  // Tries that a limit refuses are only in the server's log: a stranger could fill the partner's log without end.
  const isStored = facts.reason !== 'RATE_LIMITED'
  if (partner !== undefined && isStored) await store(db, partner, { event, subject, ...facts })
  log.info({ security: event, partner, subject: subject?.id, ...facts }, 'security')
}
