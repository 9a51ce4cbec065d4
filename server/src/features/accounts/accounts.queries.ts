import type { Profile, ProfileChange } from '@portal/contract/accounts.ts'
import type { Db, Tx } from '../../db/database.ts'
import type { Reads } from '../../db/hot-reads.ts'
import type { PartnerRow } from '../../db/tables.ts'
import { NotFound } from '../../errors.ts'

export type Partner = Omit<PartnerRow, 'password_hash' | 'crm_problem'>

const PARTNER_COLUMNS = [
  'id',
  'email',
  'business_name',
  'first_name',
  'last_name',
  'phone',
  'is_active',
  'email_verified',
  'zoho_id',
  'crm',
  'created_at',
  'modified_time',
] as const

export async function insertPartner(
  tx: Tx,
  partner: Pick<
    PartnerRow,
    'id' | 'email' | 'business_name' | 'first_name' | 'last_name' | 'password_hash' | 'created_at' | 'modified_time'
  >,
): Promise<void> {
  await tx.insertInto('partners').values(partner).execute()
}

/** With the password's hash: for signing in only. */
export function findPartnerByEmail(db: Db, email: string): Promise<PartnerRow | undefined> {
  return db.selectFrom('partners').selectAll().where('email', '=', email).executeTakeFirst()
}

export function findPartner(db: Db, partnerId: string): Promise<Partner | undefined> {
  return db.selectFrom('partners').select(PARTNER_COLUMNS).where('id', '=', partnerId).executeTakeFirst()
}

/** Whose records of the CRM these ids of its partners are. */
export function findPartnersByZohoId(db: Db, zohoIds: readonly string[]) {
  return db
    .selectFrom('partners')
    .select(['id', 'zoho_id', 'created_at'])
    .where((eb) => eb('zoho_id', '=', eb.fn.any(eb.val(zohoIds))))
    .$narrowType<{ zoho_id: string }>()
    .execute()
}

export async function getPartner(db: Db, partnerId: string): Promise<Partner> {
  const partner = await findPartner(db, partnerId)
  if (!partner) throw new NotFound('Partner not found')
  return partner
}

export async function getPasswordHash(db: Db, partnerId: string): Promise<string> {
  const row = await db.selectFrom('partners').select('password_hash').where('id', '=', partnerId).executeTakeFirst()
  if (!row) throw new NotFound('Partner not found')
  return row.password_hash
}

export async function updateProfile(tx: Tx, partnerId: string, change: ProfileChange, at: string): Promise<Profile> {
  return tx
    .updateTable('partners')
    .set({ ...change, crm: 'pending', modified_time: at })
    .where('id', '=', partnerId)
    .returning(PARTNER_COLUMNS)
    .executeTakeFirstOrThrow()
}

export async function updatePassword(tx: Tx, partnerId: string, passwordHash: string, at: string): Promise<void> {
  await tx
    .updateTable('partners')
    .set({ password_hash: passwordHash, modified_time: at })
    .where('id', '=', partnerId)
    .execute()
}

/** False when the partner was so already. */
export async function updateActive(tx: Tx, partnerId: string, isActive: boolean): Promise<boolean> {
  const row = await tx
    .updateTable('partners')
    .set({ is_active: isActive })
    .where('id', '=', partnerId)
    .where('is_active', '!=', isActive)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

export async function markEmailVerified(tx: Tx, partnerId: string): Promise<void> {
  await tx.updateTable('partners').set({ email_verified: true }).where('id', '=', partnerId).execute()
}

export async function insertSession(
  tx: Db | Tx,
  session: { tokenHash: Buffer; partnerId: string; signedInAt: string; expiresAt: string },
): Promise<void> {
  await tx
    .insertInto('sessions')
    .values({
      token_hash: session.tokenHash,
      partner_id: session.partnerId,
      signed_in_at: session.signedInAt,
      expires_at: session.expiresAt,
    })
    .execute()
}

interface SessionOwner {
  id: string
  email: string
  business_name: string
}

/** Asked with every request, hence a named statement. A deactivated partner has no session. */
export async function findSessionOwner(reads: Reads, tokenHash: Buffer, now: Date): Promise<SessionOwner | undefined> {
  const { rows } = await reads.query<SessionOwner>({
    name: 'session-owner',
    text: `select p.id, p.email, p.business_name
             from sessions s join partners p on p.id = s.partner_id
            where s.token_hash = $1 and s.expires_at > $2 and p.is_active`,
    values: [tokenHash, now.toISOString()],
  })
  return rows[0]
}

export async function getSignedInAt(tx: Tx, tokenHash: Buffer): Promise<string | undefined> {
  const row = await tx
    .selectFrom('sessions')
    .select('signed_in_at')
    .where('token_hash', '=', tokenHash)
    .executeTakeFirst()
  return row?.signed_in_at
}

/** Ends the session at `expiresAt` at the latest; it never makes one longer. */
export async function shortenSession(tx: Tx, tokenHash: Buffer, expiresAt: string): Promise<void> {
  await tx
    .updateTable('sessions')
    .set({ expires_at: expiresAt })
    .where('token_hash', '=', tokenHash)
    .where('expires_at', '>', expiresAt)
    .execute()
}

export async function removeSession(db: Db, tokenHash: Buffer): Promise<void> {
  await db.deleteFrom('sessions').where('token_hash', '=', tokenHash).execute()
}

/** All of the partner's sessions, but for the one to keep. How many they were. */
export async function removeSessions(tx: Tx, partnerId: string, keep?: Buffer): Promise<number> {
  let removal = tx.deleteFrom('sessions').where('partner_id', '=', partnerId)
  if (keep) removal = removal.where('token_hash', '!=', keep)
  return Number((await removal.executeTakeFirst()).numDeletedRows)
}

type Purpose = 'reset-password' | 'verify-email'

/** The newest token is the only one (D13). */
export async function replaceAccountToken(
  tx: Tx,
  token: { hash: Buffer; partnerId: string; purpose: Purpose; expiresAt: string },
): Promise<void> {
  await tx
    .deleteFrom('account_tokens')
    .where('partner_id', '=', token.partnerId)
    .where('purpose', '=', token.purpose)
    .execute()
  await tx
    .insertInto('account_tokens')
    .values({
      token_hash: token.hash,
      partner_id: token.partnerId,
      purpose: token.purpose,
      expires_at: token.expiresAt,
    })
    .execute()
}

export function findAccountToken(tx: Db | Tx, hash: Buffer, purpose: Purpose) {
  return tx
    .selectFrom('account_tokens')
    .select(['partner_id', 'expires_at'])
    .where('token_hash', '=', hash)
    .where('purpose', '=', purpose)
    .executeTakeFirst()
}

/** Takes the token away and tells whose it was: of two uses at once only one gets the partner. */
export async function takeAccountToken(tx: Tx, hash: Buffer, purpose: Purpose): Promise<string | undefined> {
  const row = await tx
    .deleteFrom('account_tokens')
    .where('token_hash', '=', hash)
    .where('purpose', '=', purpose)
    .returning('partner_id')
    .executeTakeFirst()
  return row?.partner_id
}

/** Those that ended. How many they were. */
export async function removeSessionsOfAllPartners(db: Db, endedBefore: string, rowsMax: number): Promise<number> {
  const removal = await db
    .deleteFrom('sessions')
    .where('token_hash', 'in', (eb) =>
      eb.selectFrom('sessions').select('token_hash').where('expires_at', '<', endedBefore).limit(rowsMax),
    )
    .executeTakeFirst()
  return Number(removal.numDeletedRows)
}

export async function removeAccountTokensOfAllPartners(db: Db, endedBefore: string, rowsMax: number): Promise<number> {
  const removal = await db
    .deleteFrom('account_tokens')
    .where('token_hash', 'in', (eb) =>
      eb.selectFrom('account_tokens').select('token_hash').where('expires_at', '<', endedBefore).limit(rowsMax),
    )
    .executeTakeFirst()
  return Number(removal.numDeletedRows)
}
