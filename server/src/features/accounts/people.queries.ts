import type { Profile } from '@portal/contract/accounts.ts'
import type { TeamPerson } from '@portal/contract/team.ts'
import { type ExpressionBuilder, sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/database.ts'
import type { Reads } from '../../platform/db/hot-reads.ts'
import { isId } from '../../platform/db/ids.ts'
import { sendNamed } from '../../platform/db/send-named.ts'
import type { PersonRow, Tables } from '../../platform/db/tables.ts'
import { emailSpellings } from '../../platform/email-spellings.ts'
import { NotFound } from '../../platform/errors.ts'
import { SEES_MONEY } from '../../records/partners/sees-money.ts'

/**
 * The name that a record shows for the person who entered it (D64). It is never an email address, because webhook
 * endpoints must not receive one (D35).
 */
export const PERSON_NAME = `coalesce(nullif(concat_ws(' ', people.first_name, people.last_name), ''), partners.business_name)`

/** A person, with the fields of their business that are shown in mails and in the profile. */
export type Person = NonNullable<Awaited<ReturnType<typeof findPerson>>>

const PERSON_COLUMNS = [
  'people.id',
  'people.partner_id',
  'people.email',
  'people.first_name',
  'people.last_name',
  'people.phone',
  'people.role',
  'people.is_active',
  'people.email_verified',
  'people.last_seen_at',
  'partners.business_name',
  'partners.zoho_id',
  'partners.is_active as is_partner_active',
  sql<boolean>`${sql.raw(SEES_MONEY)}`.as('sees_money'),
  'partners.access',
  'partners.portal_access_reason',
  sql<Profile['tax']>`case when exists (select from crm_field_groups where name = 'tax')
    then json_build_object('abn', partners.abn, 'gst_registered', partners.gst_registered) end`.as('tax'),
] as const

export async function insertPerson(
  tx: Tx,
  person: Pick<
    PersonRow,
    | 'id'
    | 'partner_id'
    | 'email'
    | 'first_name'
    | 'last_name'
    | 'password_hash'
    | 'role'
    | 'created_at'
    | 'modified_time'
  > & { email_verified?: boolean },
): Promise<void> {
  await tx.insertInto('people').values(person).execute()
}

/** Finds a person as the submitter of records (D64). `is_open` is false while the person or the business is shut out. */
export function findSubmitter(tx: Tx, personId: string) {
  return tx
    .selectFrom('people')
    .innerJoin('partners', 'partners.id', 'people.partner_id')
    .select(['people.id', 'people.role', 'partners.business_name', sql<string>`${sql.raw(PERSON_NAME)}`.as('name')])
    .select(sql<boolean>`people.is_active and partners.is_active and partners.access <> 'suspended'`.as('is_open'))
    .where('people.id', '=', personId)
    .executeTakeFirst()
}

export function findPerson(db: Db, personId: string) {
  return db
    .selectFrom('people')
    .innerJoin('partners', 'partners.id', 'people.partner_id')
    .select(PERSON_COLUMNS)
    .where('people.id', '=', personId)
    .executeTakeFirst()
}

/**
 * Locks the person: until the transaction ends, no other call changes the password, factors, role or access, or begins
 * a session.
 */
export async function lockPerson(tx: Tx, personId: string): Promise<void> {
  await tx.selectFrom('people').select('id').where('id', '=', personId).forNoKeyUpdate().execute()
}

/** Locks all people of a partner, as `lockPerson` locks one. */
export async function lockPeople(tx: Tx, partnerId: string): Promise<void> {
  await tx
    .selectFrom('people')
    .select('id')
    .where('partner_id', '=', partnerId)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
}

export async function getPerson(db: Db, personId: string): Promise<Person> {
  const person = await findPerson(db, personId)
  if (!person) throw new NotFound('Person not found')
  return person
}

/**
 * Looks through all partners, because an address can belong to only one account. The address may have any spelling. The
 * result includes the password's hash, which is needed only to sign somebody in.
 */
export function findPersonByEmail(db: Db, email: string): Promise<(Person & { password_hash: string }) | undefined> {
  const spellings = emailSpellings(email)
  return db
    .selectFrom('people')
    .innerJoin('partners', 'partners.id', 'people.partner_id')
    .select([...PERSON_COLUMNS, 'people.password_hash'])
    .where('people.email', 'in', spellings)
    .orderBy((eb) => eb.fn('array_position', [eb.val(spellings), 'people.email']))
    .executeTakeFirst()
}

/** Finds which of these addresses are those of people, in the spelling that is stored. */
export async function findKnownEmails(db: Db, spellings: readonly string[]): Promise<string[]> {
  const rows = await db
    .selectFrom('people')
    .select('email')
    .where((eb) => eb('email', '=', eb.fn.any(eb.val(spellings))))
    .execute()
  return rows.map((row) => row.email)
}

/** All people of the partner in the order of their names, including deactivated people. */
export function findPeopleByName(reads: Reads, partnerId: string): Promise<{ id: string; name: string }[]> {
  return sendNamed(reads, {
    sql: `select people.id, ${PERSON_NAME} as name
            from people join partners on partners.id = people.partner_id
           where people.partner_id = $1
           order by name, people.id`,
    parameters: [partnerId],
  })
}

/** Which announcement the person has put away last. */
export async function findPutAway(reads: Reads, personId: string): Promise<string | null> {
  const [row] = await sendNamed<{ put_away_announcement: string | null }>(reads, {
    sql: 'select put_away_announcement from people where id = $1',
    parameters: [personId],
  })
  return row?.put_away_announcement ?? null
}

export async function putAway(db: Db, personId: string, announcement: string): Promise<void> {
  await db.updateTable('people').set({ put_away_announcement: announcement }).where('id', '=', personId).execute()
}

/** The person named in the partner's record in the CRM. */
export function findContact(db: Db, partnerId: string) {
  return db
    .selectFrom('partner_contacts')
    .select(['person_id', 'email', 'email_verified'])
    .where('partner_id', '=', partnerId)
    .executeTakeFirst()
}

/** The active owners. They get the mails about the business's account. */
export function findActiveOwners(db: Db, partnerId: string): Promise<Person[]> {
  return db
    .selectFrom('people')
    .innerJoin('partners', 'partners.id', 'people.partner_id')
    .select(PERSON_COLUMNS)
    .where('people.partner_id', '=', partnerId)
    .where('people.role', '=', 'owner')
    .where('people.is_active', '=', true)
    .orderBy('people.created_at')
    .orderBy('people.id')
    .execute()
}

/** The other people of the partner who can sign in, the newest first. */
export function findOtherPeople(db: Db, partnerId: string, exceptFor: string) {
  return db
    .selectFrom('people')
    .select(['id', 'email', 'first_name', 'last_name', 'role', 'created_at', 'last_seen_at'])
    .where('partner_id', '=', partnerId)
    .where('id', '!=', exceptFor)
    .where('is_active', '=', true)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute()
}

const TEAM_COLUMNS = ['id', 'email', 'first_name', 'last_name', 'role', 'is_active', 'last_seen_at'] as const

function teamColumns(eb: ExpressionBuilder<Tables, 'people'>) {
  const ofPerson = (table: 'totp_keys' | 'passkeys') =>
    eb.selectFrom(table).select(`${table}.person_id`).whereRef(`${table}.person_id`, '=', 'people.id')
  const key = () =>
    eb
      .selectFrom('api_keys')
      .whereRef('api_keys.partner_id', '=', 'people.partner_id')
      .whereRef('made_by', '=', 'people.id')
  const webhook = () =>
    eb.selectFrom('webhook_endpoints').whereRef('webhook_endpoints.partner_id', '=', 'people.partner_id')
  const hasApp = eb.exists(ofPerson('totp_keys').where('confirmed_at', 'is not', null))
  return [
    ...TEAM_COLUMNS,
    sql<boolean>`${sql.raw(SEES_MONEY)}`.as('sees_money'),
    eb.cast<boolean>(eb.or([hasApp, eb.exists(ofPerson('passkeys'))]), 'boolean').as('has_second_factor'),
    key().select('preview').as('made_api_key'),
    key().select('api_keys.created_at').as('made_api_key_at'),
    sql<string[]>`array(select name from named_api_keys
      where partner_id = people.partner_id and made_by = people.id order by created_at, id)`.as('made_named_keys'),
    webhook().select('url').whereRef('made_by', '=', 'people.id').as('made_webhook_url'),
    eb
      .exists(webhook().select('url').whereRef('secret_made_by', '=', 'people.id'))
      .$castTo<boolean>()
      .as('made_webhook_secret'),
  ] as const
}

/** All people of a partner, in the order in which they joined. */
export function findTeam(db: Db, partnerId: string): Promise<TeamPerson[]> {
  return db
    .selectFrom('people')
    .select(teamColumns)
    .where('partner_id', '=', partnerId)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

export function findTeamPerson(db: Db, partnerId: string, personId: string): Promise<TeamPerson | undefined> {
  if (!isId(personId)) return Promise.resolve(undefined)
  return db
    .selectFrom('people')
    .select(teamColumns)
    .where('partner_id', '=', partnerId)
    .where('id', '=', personId)
    .executeTakeFirst()
}

export function updateTeamPerson(
  tx: Tx,
  partnerId: string,
  personId: string,
  change: Pick<PersonRow, 'role' | 'is_active' | 'sees_money'>,
  at: string,
): Promise<TeamPerson> {
  return tx
    .updateTable('people')
    .set({ ...change, modified_time: at })
    .where('partner_id', '=', partnerId)
    .where('id', '=', personId)
    .returning(teamColumns)
    .executeTakeFirstOrThrow()
}

export async function getPasswordHash(db: Db, personId: string): Promise<string> {
  const row = await db.selectFrom('people').select('password_hash').where('id', '=', personId).executeTakeFirst()
  if (!row) throw new NotFound('Person not found')
  return row.password_hash
}

export async function updatePerson(
  tx: Tx,
  personId: string,
  change: Partial<Pick<PersonRow, 'email' | 'first_name' | 'last_name' | 'phone' | 'password_hash'>>,
  at: string,
): Promise<void> {
  await tx
    .updateTable('people')
    .set({ ...change, modified_time: at })
    .where('id', '=', personId)
    .execute()
}

/** Marks the address as confirmed. Returns false if it was confirmed before. */
export async function markEmailVerified(tx: Tx, personId: string): Promise<boolean> {
  const row = await tx
    .updateTable('people')
    .set({ email_verified: true })
    .where('id', '=', personId)
    .where('email_verified', '=', false)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}
