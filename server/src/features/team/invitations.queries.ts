import type { Invitation } from '@portal/contract/team.ts'
import type { Db, Tx } from '../../platform/db/database.ts'
import { isId } from '../../platform/db/ids.ts'
import { removeOlder } from '../../platform/db/remove-older.ts'
import type { NewInvitationRow } from '../../platform/db/tables.ts'

const INVITATION_COLUMNS = ['id', 'email', 'first_name', 'last_name', 'role', 'created_at', 'expires_at'] as const

/**
 * Writes an invitation. It replaces the partner's earlier invitation to the same address, and the earlier link stops
 * working.
 */
export async function replaceInvitation(tx: Tx, invitation: NewInvitationRow): Promise<Invitation> {
  const { partner_id, email, ...rest } = invitation
  return tx
    .insertInto('invitations')
    .values(invitation)
    .onConflict((conflict) => conflict.columns(['partner_id', 'email']).doUpdateSet({ ...rest, token_hash: null }))
    .returning(INVITATION_COLUMNS)
    .executeTakeFirstOrThrow()
}

/**
 * An invitation counts only while its inviter is an active owner. Otherwise a deactivated owner could get back in
 * through an invitation to another of their own addresses.
 */
function countingInvitations(db: Db) {
  return db
    .selectFrom('invitations')
    .innerJoin('people as inviter', 'inviter.id', 'invitations.invited_by')
    .where('inviter.is_active', '=', true)
    .where('inviter.role', '=', 'owner')
}

/** The partner's open invitations, the newest first. */
export function findInvitations(db: Db, partnerId: string): Promise<Invitation[]> {
  return countingInvitations(db)
    .select(INVITATION_COLUMNS.map((column) => `invitations.${column}` as const))
    .where('invitations.partner_id', '=', partnerId)
    .orderBy('invitations.created_at', 'desc')
    .orderBy('invitations.id', 'desc')
    .execute()
}

/**
 * The data for an invitation's mail. Undefined if the invitation was revoked, accepted or replaced, or if its inviter
 * is no longer an active owner of an active partner, or the lender has suspended the partner.
 */
export function findInvitationToMail(db: Db, partnerId: string, invitationId: string) {
  if (!isId(invitationId)) return Promise.resolve(undefined)
  return countingInvitations(db)
    .select(['invitations.id', 'invitations.email', 'invitations.first_name', 'invitations.last_name'])
    .innerJoin('partners', 'partners.id', 'invitations.partner_id')
    .select('inviter.email as inviter_email')
    .where('partners.is_active', '=', true)
    .where('partners.access', '!=', 'suspended')
    .where('invitations.partner_id', '=', partnerId)
    .where('invitations.id', '=', invitationId)
    .executeTakeFirst()
}

/** Makes this link the invitation's newest. Links that were asked for earlier are no longer mailed. */
export async function updateInvitationLink(
  tx: Tx,
  partnerId: string,
  invitationId: string,
  linkId: string,
): Promise<void> {
  await tx
    .updateTable('invitations')
    .set({ link_id: linkId })
    .where('partner_id', '=', partnerId)
    .where('id', '=', invitationId)
    .execute()
}

/**
 * Stores the token of the newest link, so that the link in an earlier mail stops working. Returns false if a newer link
 * was asked for.
 */
export async function updateInvitationToken(
  db: Db,
  { partnerId, invitationId, linkId }: { partnerId: string; invitationId: string; linkId: string | undefined },
  token: { token_hash: Buffer; expires_at: string },
): Promise<boolean> {
  const row = await db
    .updateTable('invitations')
    .set(token)
    .where('partner_id', '=', partnerId)
    .where('id', '=', invitationId)
    .where('link_id', 'is not distinct from', linkId ?? null)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** The invitation with this token, if the link has not expired and the partner is active. */
export function findInvitationByToken(db: Db, tokenHash: Buffer, now: string) {
  return countingInvitations(db)
    .innerJoin('partners', 'partners.id', 'invitations.partner_id')
    .select(['invitations.id', 'invitations.partner_id', 'invitations.email', 'invitations.role'])
    .select(['invitations.first_name', 'invitations.last_name', 'business_name'])
    .where('token_hash', '=', tokenHash)
    .where('expires_at', '>', now)
    .where('partners.is_active', '=', true)
    .where('partners.access', '!=', 'suspended')
    .executeTakeFirst()
}

/** Removes the invitation with this token. If two calls use the token at the same time, only one returns true. */
export async function takeInvitation(tx: Tx, tokenHash: Buffer): Promise<boolean> {
  const removal = await tx.deleteFrom('invitations').where('token_hash', '=', tokenHash).executeTakeFirst()
  return removal.numDeletedRows > 0n
}

/** Removes an invitation and returns it, or returns undefined if the partner has no invitation with this id. */
export async function removeInvitation(
  tx: Tx,
  partnerId: string,
  invitationId: string,
): Promise<Invitation | undefined> {
  if (!isId(invitationId)) return undefined
  return tx
    .deleteFrom('invitations')
    .where('partner_id', '=', partnerId)
    .where('id', '=', invitationId)
    .returning(INVITATION_COLUMNS)
    .executeTakeFirst()
}

/** Removes the open invitations that this person sent. */
export async function removeInvitationsBy(tx: Tx, partnerId: string, personId: string): Promise<void> {
  await tx.deleteFrom('invitations').where('partner_id', '=', partnerId).where('invited_by', '=', personId).execute()
}

/** Removes invitations whose link expired before this time. Returns how many. */
export function removeInvitationsOfAllPartners(db: Db, endedBefore: string, rowsMax: number): Promise<number> {
  return removeOlder(db, { table: 'invitations', key: ['id'], time: 'expires_at' }, endedBefore, rowsMax)
}
