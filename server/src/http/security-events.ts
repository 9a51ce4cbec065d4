import type { SecurityEvent } from '@portal/contract/security-log.ts'
import type { Logger } from 'pino'
import type { Db, Tx } from '../db/database.ts'

/** What a call tells of an event besides who calls. No text from outside is in it, so that no secret can be. */
export interface SecurityFacts {
  /** Its id, and never its email; absent where the account is not known. */
  partner?: string | undefined
  /** The same of who did it, or whose account it is. */
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
  // What a limit refuses is in the server's log alone: a stranger could fill the partner's without end.
  const isStored = facts.reason !== 'RATE_LIMITED'
  if (partner !== undefined && isStored) await store(db, partner, { event, subject, ...facts })
  log.info({ security: event, partner, subject: subject?.id, ...facts }, 'security')
}
