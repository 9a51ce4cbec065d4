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
  -- What the list's search box looks in (D24); the global search also looks at loan type and industry.
  list_text text not null generated always as (
    lower(
      coalesce(business_name, '') || ' ' || coalesce(first_name, '') || ' ' || coalesce(last_name, '') || ' ' ||
      coalesce(email, '') || ' ' || regexp_replace(coalesce(phone, ''), '\D', '', 'g') || ' ' || loid || ' ' || replace(loid, '-', '')
    )
  ) stored,
  search_text text not null generated always as (
    lower(
      coalesce(business_name, '') || ' ' || coalesce(first_name, '') || ' ' || coalesce(last_name, '') || ' ' ||
      coalesce(email, '') || ' ' || regexp_replace(coalesce(phone, ''), '\D', '', 'g') || ' ' || loid || ' ' || replace(loid, '-', '') ||
      ' ' || coalesce(loan_type, '') || ' ' || coalesce(business_industry, '')
    )
  ) stored
);

-- What a partner sees as leads: neither converted nor archived.
create index leads_listed on leads (partner_id, created_at desc, id desc)
  where converted_at is null and archived_at is null;
create index leads_listed_by_status on leads (partner_id, lead_status, created_at desc, id desc)
  where converted_at is null and archived_at is null;
-- Two ways to search: by trigrams, and for a partner with some thousand leads quicker, through what is searched itself.
create index leads_searched on leads using gin (partner_id, search_text gin_trgm_ops);
create index leads_scanned on leads (partner_id, created_at desc, id desc) include (search_text)
  where converted_at is null and archived_at is null;
-- The figures of the dashboard are counted from this index alone.
create index leads_counted on leads (partner_id, lead_status) include (converted_at) where archived_at is null;
create index leads_by_email on leads (partner_id, email, created_at) where archived_at is null;
create index leads_by_phone on leads (partner_id, phone, created_at) where archived_at is null;
create index leads_by_abn on leads (partner_id, business_abn, created_at) where archived_at is null and business_abn is not null;
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
  list_text text not null generated always as (
    lower(
      coalesce(deal_name, '') || ' ' || coalesce(business_name, '') || ' ' || coalesce(contact_name, '') || ' ' ||
      coalesce(email, '') || ' ' || regexp_replace(coalesce(phone, ''), '\D', '', 'g') || ' ' || loid || ' ' || replace(loid, '-', '')
    )
  ) stored,
  search_text text not null generated always as (
    lower(
      coalesce(deal_name, '') || ' ' || coalesce(business_name, '') || ' ' || coalesce(contact_name, '') || ' ' ||
      coalesce(email, '') || ' ' || regexp_replace(coalesce(phone, ''), '\D', '', 'g') || ' ' || loid || ' ' || replace(loid, '-', '') ||
      ' ' || coalesce(loan_type, '')
    )
  ) stored
);
create index deals_listed on deals (partner_id, created_at desc, id desc) where archived_at is null;
create index deals_listed_by_stage on deals (partner_id, stage, created_at desc, id desc) where archived_at is null;
create index deals_searched on deals using gin (partner_id, search_text gin_trgm_ops);
create index deals_scanned on deals (partner_id, created_at desc, id desc) include (search_text) where archived_at is null;
create index deals_counted on deals (partner_id, stage) include (amount) where archived_at is null;
create index deals_by_archive on deals (archived_at) where archived_at is not null;

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
