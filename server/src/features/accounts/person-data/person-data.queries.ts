import { FORMER_COLLEAGUE } from '@portal/contract/submitted-by.ts'
import { type RawBuilder, sql } from 'kysely'
import type { Db, Tx } from '../../../platform/db/database.ts'

/** The person that the data is about. */
export interface Subject {
  id: string
  email: string
  first_name: string | null
  last_name: string | null
}

/**
 * Everything that the portal stores about one of its own people, by table, but no password, secret or token. Reads whole
 * tables, so it is for operators only.
 */
export async function findPersonData(db: Db, { id, email }: Subject) {
  const rows = async (query: RawBuilder<Record<string, unknown>>) => (await query.execute(db)).rows
  return {
    person: await rows(sql`
      select people.id, partners.business_name, email, first_name, last_name, phone, role, people.is_active, email_verified,
             sees_money, last_seen_at, people.created_at, people.modified_time
        from people join partners on partners.id = people.partner_id where people.id = ${id}`),
    sessions: await rows(
      sql`select ip, browser, signed_in_at, last_seen_at, expires_at from sessions where person_id = ${id}`,
    ),
    known_browsers_and_addresses: await rows(sql`select seen_at from known_sources where person_id = ${id}`),
    authenticator_apps: await rows(sql`select created_at, confirmed_at from totp_keys where person_id = ${id}`),
    passkeys: await rows(sql`select name, created_at, last_used_at from passkeys where person_id = ${id}`),
    email_changes: await rows(
      sql`select old_email, new_email, asked_at, done_at from email_changes where person_id = ${id}`,
    ),
    notification_settings: await rows(
      sql`select choices, time_zone from notification_settings where person_id = ${id}`,
    ),
    views: await rows(
      sql`select list, name, query, is_shared, created_at from list_views where person_id = ${id} order by id`,
    ),
    mails: await rows(sql`select id, is_digest, created_at from mails where person_id = ${id}`),
    opened_records: await rows(sql`select loid, seen_until from seen_records where person_id = ${id}`),
    put_away: await rows(sql`select kind, record_id, put_away_at from put_away where person_id = ${id}`),
    invitations: await rows(sql`
      select email, first_name, last_name, role, created_at from invitations where email = ${email} or invited_by = ${id}`),
    api_keys: await rows(sql`select preview, created_at from api_keys where made_by = ${id}`),
    named_api_keys: await rows(sql`select name, preview, created_at from named_api_keys where made_by = ${id}`),
    accepted_agreements: await rows(
      sql`select version, sha256, ip, agreed_at from accepted_agreements where person_id = ${id} order by agreed_at`,
    ),
    webhook_urls: await rows(sql`select url, created_at from webhook_endpoints where made_by = ${id}`),
    security_log: await rows(sql`
      select at, event, subject_name, detail, reason, ip, browser from security_log
       where person_id = ${id} or subject_id = ${id} order by id`),
    leads: await rows(sql`select loid, submitted_by, created_at from leads where submitter_id = ${id} order by id`),
    deals: await rows(sql`select loid, submitted_by, created_at from deals where submitter_id = ${id} order by id`),
    imports: await rows(sql`
      select id, name, rows, submitted, created_at, submitted_at from imports where person_id = ${id} order by id`),
    documents: await rows(
      sql`select loid, name, size, state, added_by, added_at from documents where person_id = ${id} order by added_at`,
    ),
    corrections: await rows(
      sql`select loid, kind, corrected, reason, asked_at from lead_changes where person_id = ${id} order by asked_at`,
    ),
    notes: await rows(sql`
      select loid, title, content, submitted_by, created_at from notes where submitter_id = ${id} order by id`),
    events: await rows(sql`select type, loid, data, created_at from events where person_id = ${id} order by id`),
  }
}

/**
 * Erases the person. What the business's history needs stays, under 'a former colleague': records, notes, events and
 * the security log. Sessions, factors, links, settings and mails go with the person's row. The caller has checked that
 * the business keeps an owner.
 */
export async function erasePersonData(tx: Tx, { id, email, first_name, last_name }: Subject): Promise<void> {
  await sql`
    update webhook_logs
       set request_body = replace(request_body, '"submitted_by":' || (events.data -> 'submitted_by')::text,
                                  '"submitted_by":' || to_json(${FORMER_COLLEAGUE}::text)::text)
      from events where events.id = webhook_logs.event_id and events.person_id = ${id} and events.data ? 'submitted_by'`.execute(
    tx,
  )
  for (const table of ['events', 'mail_news']) {
    await sql`
      update ${sql.table(table)} set data = data || jsonb_build_object('submitted_by', ${FORMER_COLLEAGUE}::text)
       where person_id = ${id} and data ? 'submitted_by'`.execute(tx)
  }
  for (const table of ['leads', 'deals', 'notes']) {
    await sql`update ${sql.table(table)} set submitted_by = ${FORMER_COLLEAGUE} where submitter_id = ${id}`.execute(tx)
  }
  await sql`update documents set added_by = ${FORMER_COLLEAGUE} where person_id = ${id}`.execute(tx)
  await sql`
    update idempotency_keys set answer = jsonb_set(answer, '{note,submitted_by}', to_jsonb(${FORMER_COLLEAGUE}::text))
     where answer -> 'note' ->> 'submitter_id' = ${id}`.execute(tx)
  await sql`delete from idempotency_keys where ${email} in (answer ->> 'email', answer ->> 'partnerEmail')`.execute(tx)
  await sql`
    delete from jobs.job
     where state <> 'active' and (data ->> 'personId' = ${id} or ${email} in (data ->> 'email', data #>> '{notice,about,email}'))`.execute(
    tx,
  )
  await sql`delete from invitations where email = ${email} or invited_by = ${id}`.execute(tx)
  // The key of a limit is its name, a colon, and what it counts by: an email address, or one with a source.
  await sql`delete from rate_limits where ${email} = any(string_to_array(substring(key from ':(.*)'), ' '))`.execute(tx)
  await eraseInSecurityLog(tx, id, [[first_name, last_name].filter(Boolean).join(' '), email].filter(Boolean))
  await sql`update accepted_agreements set ip = null where person_id = ${id}`.execute(tx)
  await sql`delete from people where id = ${id}`.execute(tx)
}

/** The log refuses changes, so its entries are removed and written again without names, IP addresses and browsers. */
async function eraseInSecurityLog(tx: Tx, id: string, names: readonly string[]): Promise<void> {
  const { rows } = await sql<{ entries: string }>`
    with removed as (
      delete from security_log
       where person_id = ${id} or subject_id = ${id}
          or (subject_name = any(${names}) and partner_id = (select partner_id from people where id = ${id}))
      returning *)
    select coalesce(json_agg(removed), '[]')::text as entries from removed`.execute(tx)
  await sql`
    insert into security_log (id, partner_id, at, event, kind, person_id, subject_id, subject_name, detail, reason, ip, browser)
    select id, partner_id, at, event, kind, person_id, subject_id,
           case when subject_id = ${id} or subject_name = any(${names}) then ${FORMER_COLLEAGUE} else subject_name end,
           detail, reason,
           case when person_id is distinct from ${id}::uuid then ip end,
           case when person_id is distinct from ${id}::uuid then browser end
      from json_populate_recordset(null::security_log, ${rows[0]?.entries ?? '[]'}::json)`.execute(tx)
}
