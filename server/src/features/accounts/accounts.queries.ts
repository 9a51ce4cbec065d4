import type { Profile, ProfileChange } from '@portal/contract/accounts.ts'
import type { Db, Tx } from '../../db/database.ts'
import type { Reads } from '../../db/hot-reads.ts'
import { sendNamed } from '../../db/send-named.ts'
import type { PartnerRow } from '../../db/tables.ts'
import { NotFound } from '../../errors.ts'

export type Partner = Omit<PartnerRow, 'password_hash' | 'crm_problem' | 'closed_at' | 'crm_record_sent_at'>

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
  return db
    .selectFrom('partners')
    .selectAll()
    .where('email', '=', email)
    .where('closed_at', 'is', null)
    .executeTakeFirst()
}

/** One whose account was closed is gone. */
export function findPartner(db: Db, partnerId: string): Promise<Partner | undefined> {
  return db
    .selectFrom('partners')
    .select(PARTNER_COLUMNS)
    .where('id', '=', partnerId)
    .where('closed_at', 'is', null)
    .executeTakeFirst()
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

/** When these partners came to the portal. */
export function findPartnersCameAt(db: Db, partnerIds: readonly string[]) {
  return db
    .selectFrom('partners')
    .select(['id', 'created_at'])
    .where((eb) => eb('id', '=', eb.fn.any(eb.val(partnerIds))))
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

/** Undefined when it was verified before. `wasHeld`: records of the CRM waited for it, and wait no longer (D52). */
export async function markEmailVerified(tx: Tx, partnerId: string): Promise<{ wasHeld: boolean } | undefined> {
  const partner = await tx
    .selectFrom('partners')
    .select(['email_verified', 'crm'])
    .where('id', '=', partnerId)
    .forUpdate()
    .executeTakeFirst()
  if (!partner || partner.email_verified) return undefined
  const wasHeld = partner.crm === 'held'
  await tx
    .updateTable('partners')
    .set({ email_verified: true, ...(wasHeld && { crm: 'pending' }) })
    .where('id', '=', partnerId)
    .execute()
  return { wasHeld }
}

/** The row stays, because its leads do. Its record in the CRM may be linked to another partner now. */
export async function markClosed(tx: Tx, partnerId: string, at: string): Promise<void> {
  await tx
    .updateTable('partners')
    .set({ is_active: false, closed_at: at, zoho_id: null })
    .where('id', '=', partnerId)
    .execute()
}

/** One that is there already stays as it is. */
export async function insertSession(
  tx: Db | Tx,
  session: { tokenHash: Buffer; partnerId: string; familyId: string; signedInAt: string; expiresAt: string },
): Promise<void> {
  await tx
    .insertInto('sessions')
    .values({
      token_hash: session.tokenHash,
      partner_id: session.partnerId,
      family_id: session.familyId,
      signed_in_at: session.signedInAt,
      expires_at: session.expiresAt,
    })
    .onConflict((conflict) => conflict.column('token_hash').doNothing())
    .execute()
}

interface SessionOwner {
  id: string
  email: string
  business_name: string
  crm: Partner['crm']
}

/** Asked with every request, hence a named statement. A deactivated partner has no session. */
export async function findSessionOwner(reads: Reads, tokenHash: Buffer, now: Date): Promise<SessionOwner | undefined> {
  const rows = await sendNamed<SessionOwner>(reads, {
    sql: `select p.id, p.email, p.business_name, p.crm
            from sessions s join partners p on p.id = s.partner_id
           where s.token_hash = $1 and s.expires_at > $2 and p.is_active`,
    parameters: [tokenHash, now.toISOString()],
  })
  return rows[0]
}

/** The session with its seed: this one, unless it has one already. Until the transaction ends, no other exchange reads it. */
export function keepSuccessorSeed(tx: Tx, tokenHash: Buffer, seed: Buffer) {
  return tx
    .updateTable('sessions')
    .set((eb) => ({ successor_seed: eb.fn.coalesce('successor_seed', eb.val(seed)) }))
    .where('token_hash', '=', tokenHash)
    .returning((eb) => ['family_id', 'signed_in_at', eb.ref('successor_seed').$notNull().as('successor_seed')])
    .executeTakeFirst()
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

export async function removeSessionFamily(db: Db, tokenHash: Buffer): Promise<void> {
  await db
    .deleteFrom('sessions')
    .where('family_id', '=', (eb) => eb.selectFrom('sessions').select('family_id').where('token_hash', '=', tokenHash))
    .execute()
}

/** All of the partner's sessions. How many they were. */
export async function removeSessions(tx: Tx, partnerId: string): Promise<number> {
  const removal = await tx.deleteFrom('sessions').where('partner_id', '=', partnerId).executeTakeFirst()
  return Number(removal.numDeletedRows)
}

/** Those of other families than this session's. */
export async function removeOtherSessions(tx: Tx, partnerId: string, tokenHash: Buffer): Promise<void> {
  await tx
    .deleteFrom('sessions')
    .where('partner_id', '=', partnerId)
    .where('family_id', 'is distinct from', (eb) =>
      eb.selectFrom('sessions').select('family_id').where('token_hash', '=', tokenHash),
    )
    .execute()
}

type Purpose = 'reset-password' | 'verify-email'

export async function insertAccountToken(
  tx: Db | Tx,
  token: { hash: Buffer; partnerId: string; purpose: Purpose; expiresAt: string },
): Promise<void> {
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

export async function removeAccountTokens(tx: Tx, partnerId: string, purpose?: Purpose): Promise<void> {
  let removal = tx.deleteFrom('account_tokens').where('partner_id', '=', partnerId)
  if (purpose) removal = removal.where('purpose', '=', purpose)
  await removal.execute()
}

/** Takes a token that has not ended away and tells whose it was: of two uses at once only one gets the partner. */
export async function takeAccountToken(
  tx: Tx,
  hash: Buffer,
  purpose: Purpose,
  now: string,
): Promise<string | undefined> {
  const row = await tx
    .deleteFrom('account_tokens')
    .where('token_hash', '=', hash)
    .where('purpose', '=', purpose)
    .where('expires_at', '>', now)
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
