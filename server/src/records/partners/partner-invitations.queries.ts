import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/database.ts'
import type { PartnerInvitationRow } from '../../platform/db/tables.ts'
import { comparedName } from './compared-name.ts'

const DETAILS = ['email', 'business_name', 'first_name', 'last_name', 'phone'] as const

export type InvitedDetails = Pick<PartnerInvitationRow, (typeof DETAILS)[number]>

/** What a partner's record in the CRM says; `invited` is null if the team does not invite the partner. */
export interface ReadInvitation {
  zoho_id: string
  modified_time: string
  invited: InvitedDetails | null
}

/**
 * Stores which records invite their partner (D116). An older reading than the stored one changes nothing. Another email
 * address, and the word after it was away, is a new invitation; the old link ends. Records that belong to a partner of
 * the portal invite nobody.
 */
export async function keepInvitations(tx: Tx, read: readonly ReadInvitation[]): Promise<void> {
  const invited = read.flatMap(({ invited: details, ...record }) => (details ? { ...record, ...details } : []))
  if (invited.length > 0) {
    await sql`
      insert into partner_invitations as kept
             (zoho_id, crm_modified_time, state, email, business_name, first_name, last_name, phone)
      select zoho_id, modified_time, 'waiting', email, business_name, first_name, last_name, phone
        from json_to_recordset(${JSON.stringify(invited)}::json)
             as told (zoho_id text, modified_time timestamptz, email text, business_name text, first_name text, last_name text, phone text)
       where not exists (select from partners where partners.zoho_id = told.zoho_id)
       order by zoho_id
          on conflict (zoho_id) do update
         set crm_modified_time = excluded.crm_modified_time, email = excluded.email, business_name = excluded.business_name,
             first_name = excluded.first_name, last_name = excluded.last_name, phone = excluded.phone,
             state = case when kept.state = 'withdrawn' or kept.email is distinct from excluded.email then 'waiting'
                          else kept.state end
       where kept.state <> 'accepted'
         and (kept.crm_modified_time < excluded.crm_modified_time
              or kept.crm_modified_time = excluded.crm_modified_time and kept.state <> 'withdrawn')`.execute(tx)
  }
  await endInvitations(
    tx,
    read.filter((one) => one.invited === null),
  )
}

/** Ends the invitations of records that the CRM does not have any more. */
export function endInvitationsOfGone(tx: Tx, zohoIds: readonly string[]): Promise<void> {
  return endInvitations(
    tx,
    zohoIds.map((zoho_id) => ({ zoho_id, modified_time: null })),
  )
}

async function endInvitations(tx: Tx, ended: readonly { zoho_id: string; modified_time: string | null }[]) {
  if (ended.length === 0) return
  await sql`
    update partner_invitations kept
       set state = 'withdrawn', crm_modified_time = coalesce(told.modified_time, kept.crm_modified_time), email = null,
           business_name = null, first_name = null, last_name = null, phone = null, link_id = null, token_hash = null,
           expires_at = null, problem = null
      from json_to_recordset(${JSON.stringify(ended)}::json) as told (zoho_id text, modified_time timestamptz)
     where kept.zoho_id = told.zoho_id and kept.state <> 'withdrawn'
       and coalesce(kept.crm_modified_time <= told.modified_time, true)`.execute(tx)
}

/** Whether an invitation waits for its mail. */
export async function isInvitationWaiting(tx: Tx): Promise<boolean> {
  const row = await tx
    .selectFrom('partner_invitations')
    .select('zoho_id')
    .where('state', '=', 'waiting')
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

export type WaitingInvitation = Pick<PartnerInvitationRow, 'zoho_id' | 'email' | 'business_name' | 'problem'>

/**
 * Locks the invitations that wait for their mail: first those without a problem, the longest wait first. Until the transaction ends, nobody else gives
 * them a link.
 */
export function lockWaitingInvitations(tx: Tx, limit: number): Promise<WaitingInvitation[]> {
  return tx
    .selectFrom('partner_invitations')
    .select(['zoho_id', 'email', 'business_name', 'problem'])
    .where('state', '=', 'waiting')
    .orderBy(sql`problem is not null`)
    .orderBy('asked_at')
    .orderBy('zoho_id')
    .limit(limit)
    .forUpdate()
    .execute()
}

/** Finds the records whose invitations with these addresses were mailed. */
export function findMailedInvitations(tx: Tx, emails: readonly string[]) {
  return tx
    .selectFrom('partner_invitations')
    .select(['zoho_id', 'email'])
    .where('state', '=', 'mailed')
    .where((eb) => eb('email', '=', eb.fn.any(eb.val(emails))))
    .execute()
}

/** Finds which of these business names a partner of the portal has, as people see them. */
export async function findTakenNames(tx: Tx, names: readonly string[]): Promise<Set<string>> {
  const compared = new Map(names.map((name) => [comparedName(name), name]))
  const rows = await tx
    .selectFrom('partners')
    .select('compared_name')
    .where((eb) => eb('compared_name', '=', eb.fn.any(eb.val([...compared.keys()]))))
    .where('closed_at', 'is', null)
    .execute()
  return new Set(rows.flatMap(({ compared_name }) => compared.get(compared_name ?? '') ?? []))
}

export async function countInvitationsMailedSince(tx: Tx, since: string): Promise<number> {
  const row = await tx
    .selectFrom('partner_invitations')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('mailed_at', '>', since)
    .executeTakeFirst()
  return Number(row?.count ?? 0)
}

/** Gives the invitation its link. The caller queues the mail. */
export async function markInvitationMailed(
  tx: Tx,
  zohoId: string,
  { linkId, at, expiresAt }: { linkId: string; at: string; expiresAt: string },
): Promise<void> {
  await tx
    .updateTable('partner_invitations')
    .set({ state: 'mailed', link_id: linkId, mailed_at: at, token_hash: null, expires_at: expiresAt, problem: null })
    .where('zoho_id', '=', zohoId)
    .execute()
}

export async function updateInvitationProblem(tx: Tx, zohoId: string, problem: string | null): Promise<void> {
  await tx.updateTable('partner_invitations').set({ problem }).where('zoho_id', '=', zohoId).execute()
}

/** Says of mailed invitations that expired before `now` how the team sends another. */
export async function markExpiredInvitations(tx: Tx, now: string, problem: string): Promise<void> {
  await tx
    .updateTable('partner_invitations')
    .set({ problem })
    .where('state', '=', 'mailed')
    .where('expires_at', '<=', now)
    .where('problem', 'is', null)
    .execute()
}

/**
 * Stores the token of the mailed link. Returns the address to mail, or undefined if the invitation has ended or has
 * another link by now.
 */
export async function updatePartnerInvitationToken(
  db: Db,
  linkId: string,
  token: { token_hash: Buffer; expires_at: string },
): Promise<string | undefined> {
  const row = await db
    .updateTable('partner_invitations')
    .set(token)
    .where('state', '=', 'mailed')
    .where('link_id', '=', linkId)
    .returning('email')
    .executeTakeFirst()
  return row?.email ?? undefined
}

/** Lets an invitation wait again, because no mail server took its mail. */
export async function markInvitationUnsent(db: Db, linkId: string): Promise<void> {
  await db
    .updateTable('partner_invitations')
    .set({ state: 'waiting' })
    .where('state', '=', 'mailed')
    .where('link_id', '=', linkId)
    .execute()
}

/** The invitation with this token, if its link has not expired. */
export async function findPartnerInvitationByToken(db: Db, tokenHash: Buffer, now: string) {
  const row = await db
    .selectFrom('partner_invitations')
    .select(['zoho_id', 'crm_modified_time', ...DETAILS])
    .where('state', '=', 'mailed')
    .where('token_hash', '=', tokenHash)
    .where('expires_at', '>', now)
    .executeTakeFirst()
  if (!row) return undefined
  const { email, business_name, ...rest } = row
  return email === null || business_name === null ? undefined : { ...rest, email, business_name }
}

/** Ends an invitation that was accepted. If two calls use the token at the same time, only one returns true. */
export async function takePartnerInvitation(tx: Tx, tokenHash: Buffer): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('partner_invitations')
    .set({
      state: 'accepted',
      email: null,
      business_name: null,
      first_name: null,
      last_name: null,
      phone: null,
      link_id: null,
      token_hash: null,
      expires_at: null,
      problem: null,
    })
    .where('state', '=', 'mailed')
    .where('token_hash', '=', tokenHash)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export interface UntoldProblem {
  zoho_id: string
  problem: string | null
}

/** Finds what the CRM's records do not show yet of their invitations' problems. */
export function findUntoldInvitationProblems(db: Db, limit: number): Promise<UntoldProblem[]> {
  return db
    .selectFrom('partner_invitations')
    .select(['zoho_id', 'problem'])
    .where(({ eb, ref }) => eb('problem', 'is distinct from', ref('told_problem')))
    .orderBy('zoho_id')
    .limit(limit)
    .execute()
}

export async function keepToldInvitationProblems(db: Db, told: readonly UntoldProblem[]): Promise<void> {
  for (const { zoho_id, problem } of told) {
    await db.updateTable('partner_invitations').set({ told_problem: problem }).where('zoho_id', '=', zoho_id).execute()
  }
}

/** For operators: lists at most a hundred records that could not be invited, or that nobody followed, with the reason. */
export function findInvitationProblems(db: Db): Promise<{ zoho_id: string; problem: string | null }[]> {
  return db
    .selectFrom('partner_invitations')
    .select(['zoho_id', 'problem'])
    .where('problem', 'is not', null)
    .orderBy('asked_at')
    .limit(100)
    .execute()
}
