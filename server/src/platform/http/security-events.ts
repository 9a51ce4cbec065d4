import type { SecurityEvent } from '@portal/contract/security-log.ts'
import type { Logger } from 'pino'
import type { Db, Tx } from '../db/database.ts'

/**
 * What is known about a security event. Apart from a subject's name, the facts contain no text from outside, so they
 * cannot contain a secret.
 */
export interface SecurityFacts {
  /** The partner's id, and never its email. Absent if the account is not known. */
  partner?: string | undefined
  /** The person who acted, or the person who owns the account. */
  person?: string | undefined
  /** The other person, if the event affects one. */
  subject?: { id: string; name: string } | undefined
  /** More about the event, in the portal's own words. */
  detail?: string | undefined
  /** The error code, if the action failed. */
  reason?: string | undefined
}

/**
 * Notes one event and who called: in the partner's security log, if the account is known, and as one line in the
 * server's log. If the calling code passes its transaction, the event and the change are stored together or not at all.
 */
export type NoteSecurity = (db: Db | Tx, event: SecurityEvent, facts?: SecurityFacts) => Promise<void>

/** Where an event came from. Empty for an operator's actions. */
interface Source {
  ip?: string
  browser?: string | null
}

/** Stores an event in the security log. The log belongs to a feature, so app.ts passes this function in. */
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
  // Attempts that a rate limit refuses are noted only in the server's log. Otherwise a stranger could fill the
  // partner's log without end.
  const isStored = facts.reason !== 'RATE_LIMITED'
  if (partner !== undefined && isStored) await store(db, partner, { event, subject, ...facts })
  log.info({ security: event, partner, subject: subject?.id, ...facts }, 'security')
}
