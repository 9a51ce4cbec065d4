import type { Db, Tx } from '../../platform/db/database.ts'
import type { EmailChangeRow } from '../../platform/db/tables.ts'

/** Stores a pending change. It replaces an earlier pending change, because a person has at most one. */
export async function saveEmailChange(
  tx: Tx,
  change: Pick<EmailChangeRow, 'id' | 'person_id' | 'old_email' | 'new_email' | 'asked_at' | 'confirm_until'>,
): Promise<void> {
  await tx
    .insertInto('email_changes')
    .values(change)
    .onConflict((conflict) =>
      conflict
        .column('person_id')
        .where('done_at', 'is', null)
        .doUpdateSet({ ...change, confirm_hash: null }),
    )
    .execute()
}

/** Removes the person's pending change. */
export async function removeWaitingEmailChange(tx: Tx, personId: string): Promise<void> {
  await tx.deleteFrom('email_changes').where('person_id', '=', personId).where('done_at', 'is', null).execute()
}

export function findEmailChange(db: Db, changeId: string) {
  return db.selectFrom('email_changes').selectAll().where('id', '=', changeId).executeTakeFirst()
}

export function findEmailChangeByToken(db: Db, link: 'confirm_hash' | 'undo_hash', hash: Buffer) {
  return db.selectFrom('email_changes').selectAll().where(link, '=', hash).executeTakeFirst()
}

export async function keepLinkHash(
  db: Db,
  changeId: string,
  link: { confirm_hash: Buffer } | { undo_hash: Buffer },
): Promise<void> {
  await db.updateTable('email_changes').set(link).where('id', '=', changeId).execute()
}

/**
 * Marks a pending change as done. Returns false if it is already done, was replaced or removed, or is too old. If two
 * calls come at once, only one succeeds.
 */
export async function markEmailChanged(
  tx: Tx,
  changeId: string,
  { at, ...change }: { at: string; old_email: string; undo_until: string | null },
): Promise<boolean> {
  const row = await tx
    .updateTable('email_changes')
    .set({ ...change, done_at: at })
    .where('id', '=', changeId)
    .where('done_at', 'is', null)
    .where('confirm_until', '>', at)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Removes a change that is being undone, with all later and pending changes, which may be an intruder's. Returns false
 * if the change can no longer be undone.
 */
export async function removeEmailChange(tx: Tx, change: EmailChangeRow, now: string): Promise<boolean> {
  const row = await tx
    .deleteFrom('email_changes')
    .where('id', '=', change.id)
    .where('undo_until', '>', now)
    .returning('id')
    .executeTakeFirst()
  if (!row) return false
  await tx
    .deleteFrom('email_changes')
    .where('person_id', '=', change.person_id)
    .where((eb) => eb.or([eb('done_at', 'is', null), eb('done_at', '>=', change.done_at)]))
    .execute()
  return true
}

/**
 * Whether another person may still undo a change from this address. Looks through all partners, because an address can
 * belong to only one account.
 */
export async function isEmailHeldOfAnyPartner(
  tx: Tx,
  email: string,
  { exceptFor, now }: { exceptFor: string; now: string },
): Promise<boolean> {
  const row = await tx
    .selectFrom('email_changes')
    .select('id')
    .where('old_email', '=', email)
    .where('undo_until', '>', now)
    .where('person_id', '!=', exceptFor)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Finds which of these addresses somebody could still regain. */
export async function findHeldEmailsOfAnyPartner(tx: Tx, emails: readonly string[], now: string): Promise<string[]> {
  const rows = await tx
    .selectFrom('email_changes')
    .select('old_email')
    .where((eb) => eb('old_email', '=', eb.fn.any(eb.val(emails))))
    .where('undo_until', '>', now)
    .execute()
  return rows.map((row) => row.old_email)
}

/** Removes changes that could no longer be confirmed or undone at this time. Returns how many. */
export async function removeEmailChangesOfAllPartners(db: Db, before: string, rowsMax: number): Promise<number> {
  const removal = await db
    .deleteFrom('email_changes')
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('email_changes')
        .select('id')
        .where((or) =>
          or.or([
            or.and([or('done_at', 'is', null), or('confirm_until', '<', before)]),
            or.and([or('done_at', 'is not', null), or(or.fn.coalesce('undo_until', 'done_at'), '<', before)]),
          ]),
        )
        .limit(rowsMax),
    )
    .executeTakeFirst()
  return Number(removal.numDeletedRows)
}
