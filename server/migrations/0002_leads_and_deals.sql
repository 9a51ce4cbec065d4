-- What a search is looked up by: three letters or digits in a row, each a number of its own for every 256th of the partners, so
-- that what many others' leads have in common costs a partner little. A text's are search_keys(partner_id, show_trgm(text)); a
-- trigram with a space in it marks the edge of a word, which nobody asks for.
create function search_keys(partner_id uuid, trigrams text[]) returns integer[]
language sql immutable strict parallel safe cost 1000
return (
  select array_agg(hashtextextended(trigram, get_byte(uuid_send(partner_id), 15))::bit(32)::integer)
    from unnest(trigrams) as trigram
   where position(' ' in trigram) = 0
);

-- A phone's last digits, without the country code or the trunk 0 that one writer puts before them and another does not.
create function phone_end(phone text) returns text
language sql immutable strict parallel safe
return ltrim(right(regexp_replace(phone, '[^0-9]', '', 'g'), 8), '0');

-- As much of a text as fits an index's entry of 2,704 bytes, beside a status and a source of 120 letters of three bytes each.
create function for_index(whole text) returns text
language sql immutable strict parallel safe
return left(whole, case when octet_length(whole) <= 1900 then length(whole) else 475 end);

create table leads (
  id uuid primary key,
  partner_id uuid not null references partners,
  loid text not null unique,
  business_name text,
  first_name text,
  last_name text,
  email text,
  phone text,
  state text,
  loan_amount numeric(14, 2),
  loan_type text,
  loan_purpose text,
  loan_term text,
  sales_monthly numeric(14, 2),
  lead_status text not null,
  lead_source text,
  brand text,
  description text,
  permit_link text,
  business_industry text,
  time_in_business text,
  business_abn text,
  partner_iso text,
  owns_property boolean not null default false,
  property_value numeric(14, 2),
  property_debt numeric(14, 2),
  consent_version text,
  consent_at timestamptz(3),
  created_at timestamptz(3) not null,
  modified_time timestamptz(3) not null,
  -- The record in the CRM and its Modified_Time as last applied.
  zoho_id text unique,
  crm text not null check (crm in ('pending', 'synced', 'failed')),
  crm_modified_time timestamptz(3),
  converted_at timestamptz(3),
  -- The deal that the lead became, or that it turned out to match (D18, D29).
  deal_loid text,
  archived_at timestamptz(3),
  archived_reason text check (archived_reason in ('left-crm', 'matches-deal')),
  -- What is searched (D24): the first line by the list's search box, loan type and industry on the second by the global search too.
  search_text text not null generated always as (
    for_index(
      lower(
        translate(
          loid || ' ' || replace(loid, '-', '') || ' ' || regexp_replace(coalesce(phone, ''), '\D', '', 'g') || ' ' ||
          coalesce(business_name, '') || ' ' || coalesce(first_name, '') || ' ' || coalesce(last_name, '') || ' ' || coalesce(email, ''),
          E'\n', ' '
        ) || E'\n' || coalesce(loan_type, '') || ' ' || coalesce(business_industry, '')
      )
    )
  ) stored
);

-- What a partner sees as leads: neither converted nor archived.
create index leads_listed on leads (partner_id, created_at desc, id desc)
  where converted_at is null and archived_at is null;
create index leads_listed_by_status on leads (partner_id, lead_status, created_at desc, id desc)
  where converted_at is null and archived_at is null;
create index leads_listed_by_source on leads (partner_id, lead_source, created_at desc, id desc) include (lead_status)
  where converted_at is null and archived_at is null;
-- Two ways to search: through what is searched itself, newest first, and by keys for what the newest do not have. Every look-up
-- reads the rows that are still to be sorted into the second, so these are few.
create index leads_scanned on leads (partner_id, created_at desc, id desc) include (lead_status, lead_source, search_text)
  where converted_at is null and archived_at is null;
create index leads_found on leads using gin (partner_id, search_keys(partner_id, show_trgm(search_text)))
  with (gin_pending_list_limit = 256) where converted_at is null and archived_at is null;
-- What was submitted and what became deals in a time, counted from the index alone.
create index leads_by_time on leads (partner_id, created_at) include (converted_at) where archived_at is null;
create index leads_by_conversion on leads (partner_id, converted_at) where archived_at is null and converted_at is not null;
create index leads_by_email on leads (partner_id, email, created_at) where archived_at is null;
create index leads_by_phone on leads (partner_id, phone, created_at) where archived_at is null;
create index leads_by_abn on leads (partner_id, business_abn, created_at) where archived_at is null and business_abn is not null;
-- What a deal may take the place of (D29), and what it has.
create index leads_matchable_by_email on leads (partner_id, loan_amount, lower(email))
  where converted_at is null and archived_at is null and email is not null;
create index leads_matchable_by_phone on leads (partner_id, loan_amount, phone_end(phone))
  where converted_at is null and archived_at is null and phone is not null;
create index leads_matched on leads (partner_id, deal_loid) where archived_reason = 'matches-deal';
create index leads_to_push on leads (partner_id) where crm <> 'synced';
create index leads_by_archive on leads (archived_at) where archived_at is not null;

create table deals (
  id uuid primary key,
  partner_id uuid not null references partners,
  -- The LOID of the lead that the deal was, where it was one (D17).
  loid text not null unique,
  deal_name text,
  business_name text,
  contact_name text,
  email text,
  phone text,
  amount numeric(14, 2),
  loan_type text,
  loan_purpose text,
  loan_term text,
  stage text not null,
  lead_source text,
  closing_date date,
  probability numeric(5, 2),
  description text,
  partner_iso text,
  created_at timestamptz(3) not null,
  modified_time timestamptz(3) not null,
  zoho_id text unique,
  crm text not null check (crm in ('pending', 'synced', 'failed')),
  crm_modified_time timestamptz(3),
  archived_at timestamptz(3),
  archived_reason text check (archived_reason in ('left-crm')),
  -- As of a lead; here only the loan type is on the second line.
  search_text text not null generated always as (
    for_index(
      lower(
        translate(
          loid || ' ' || replace(loid, '-', '') || ' ' || regexp_replace(coalesce(phone, ''), '\D', '', 'g') || ' ' ||
          coalesce(deal_name, '') || ' ' || coalesce(business_name, '') || ' ' || coalesce(contact_name, '') || ' ' || coalesce(email, ''),
          E'\n', ' '
        ) || E'\n' || coalesce(loan_type, '')
      )
    )
  ) stored
);
create index deals_listed on deals (partner_id, created_at desc, id desc) where archived_at is null;
create index deals_listed_by_stage on deals (partner_id, stage, created_at desc, id desc) where archived_at is null;
create index deals_scanned on deals (partner_id, created_at desc, id desc) include (stage, amount, search_text)
  where archived_at is null;
create index deals_found on deals using gin (partner_id, search_keys(partner_id, show_trgm(search_text)))
  with (gin_pending_list_limit = 256) where archived_at is null;
create index deals_matchable_by_email on deals (partner_id, amount, lower(email)) where archived_at is null and email is not null;
create index deals_matchable_by_phone on deals (partner_id, amount, phone_end(phone)) where archived_at is null and phone is not null;
create index deals_by_archive on deals (archived_at) where archived_at is not null;

-- An index alone answers for rows that a vacuum has seen. By itself that comes after a fifth of the table, here after a hundredth.
alter table leads set (autovacuum_vacuum_insert_scale_factor = 0.01, autovacuum_vacuum_scale_factor = 0.02);
alter table deals set (autovacuum_vacuum_insert_scale_factor = 0.01, autovacuum_vacuum_scale_factor = 0.02);

-- How many leads of each status and deals of each stage a partner has, the archived not counted: the sum of its rows. Each
-- change adds a row or two instead of changing one, so that no two changes wait for each other.
create table record_counts (
  id bigint generated always as identity primary key,
  partner_id uuid not null,
  kind text not null check (kind in ('lead', 'deal')),
  -- The status or the stage.
  value text not null,
  is_converted boolean not null,
  records integer not null,
  with_amount integer not null,
  amount numeric(18, 2) not null
);
create index record_counts_of_partner on record_counts (partner_id);

create function add_to_counts(
  of_partner uuid, of_kind text, of_value text, converted boolean, count integer, of_amount numeric
) returns void language plpgsql as $$
declare
  added bigint;
begin
  insert into record_counts (partner_id, kind, value, is_converted, records, with_amount, amount)
  values (of_partner, of_kind, of_value, converted, count, case when of_amount is null then 0 else count end,
          coalesce(count * of_amount, 0))
  returning id into added;
  -- Every 64th puts its partner's rows together, but for those that another transaction is putting together.
  if added % 64 = 0 then
    with apart as (
      delete from record_counts
       where id in (select id from record_counts where partner_id = of_partner for update skip locked)
      returning *
    )
    insert into record_counts (partner_id, kind, value, is_converted, records, with_amount, amount)
    select partner_id, kind, value, is_converted, sum(records), sum(with_amount), sum(amount)
      from apart
     group by partner_id, kind, value, is_converted
    having sum(records) <> 0 or sum(with_amount) <> 0 or sum(amount) <> 0;
  end if;
end
$$;

create function count_lead() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' and old.archived_at is null then
    perform add_to_counts(old.partner_id, 'lead', old.lead_status, old.converted_at is not null, -1, null);
  end if;
  if tg_op <> 'DELETE' and new.archived_at is null then
    perform add_to_counts(new.partner_id, 'lead', new.lead_status, new.converted_at is not null, 1, null);
  end if;
  return null;
end
$$;
create trigger leads_counted after insert or delete on leads for each row execute function count_lead();
create trigger leads_recounted after update on leads for each row
  when ((old.partner_id, old.lead_status, old.converted_at is null, old.archived_at is null)
    is distinct from (new.partner_id, new.lead_status, new.converted_at is null, new.archived_at is null))
  execute function count_lead();

create function count_deal() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' and old.archived_at is null then
    perform add_to_counts(old.partner_id, 'deal', old.stage, false, -1, old.amount);
  end if;
  if tg_op <> 'DELETE' and new.archived_at is null then
    perform add_to_counts(new.partner_id, 'deal', new.stage, false, 1, new.amount);
  end if;
  return null;
end
$$;
create trigger deals_counted after insert or delete on deals for each row execute function count_deal();
create trigger deals_recounted after update on deals for each row
  when ((old.partner_id, old.stage, old.amount, old.archived_at is null)
    is distinct from (new.partner_id, new.stage, new.amount, new.archived_at is null))
  execute function count_deal();

-- What a lead's status and a deal's stage have been.
create table history_entries (
  id uuid primary key,
  partner_id uuid not null,
  kind text not null check (kind in ('lead-status', 'deal-stage')),
  loid text not null,
  -- The status or the stage that began.
  value text not null,
  changed_time timestamptz(3) not null,
  changed_by text,
  description text,
  -- Who says so: the submission itself, the CRM's own record, or the portal that saw the change (D32a).
  origin text not null check (origin in ('submitted', 'crm', 'observed')),
  -- The CRM's name for the entry, by which a second pull finds it again.
  crm_entry_id text
);
create index history_of_record on history_entries (partner_id, loid, kind, changed_time desc, id desc);
create unique index history_crm_entry on history_entries (kind, loid, crm_entry_id) where crm_entry_id is not null;

-- A note belongs to a LOID, and so to the lead and to the deal that the lead becomes (D18).
create table notes (
  id uuid primary key,
  partner_id uuid not null,
  loid text not null,
  -- What the note was written on, which is where the CRM keeps it.
  written_on text not null check (written_on in ('lead', 'deal')),
  title text,
  content text not null,
  created_by text,
  created_at timestamptz(3) not null,
  zoho_id text unique,
  crm text not null check (crm in ('pending', 'synced', 'failed'))
);
create index notes_of_record on notes (partner_id, loid, created_at desc, id desc);
create index notes_to_push on notes (partner_id) where crm <> 'synced';
