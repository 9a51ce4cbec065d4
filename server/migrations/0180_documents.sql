-- The documents of leads and deals (D100–D104). The CRM has their content; the portal has a file in parts only until the CRM has it.
create table documents (
  id uuid primary key,
  partner_id uuid not null references partners (id),
  loid text not null,
  -- Who uploaded it. A document without a SHA-256 is one that the lender attached.
  person_id uuid references people (id) on delete set null,
  added_by text,
  -- The request that it answers, and the request's answer time that it set.
  request_id uuid,
  answered_at timestamptz(3),
  name text not null,
  size int not null,
  type text,
  sha256 text,
  state text not null check (state in ('uploading', 'pending', 'synced', 'failed')),
  problem text,
  added_at timestamptz(3) not null,
  -- Where it is in the CRM.
  zoho_id text unique,
  crm_module text,
  crm_record text,
  -- The name under which it was last sent, and when: the answer may have been lost (D102).
  sent_name text,
  sent_at timestamptz(3),
  removed_at timestamptz(3),
  unique (partner_id, id)
);
create index documents_of_record on documents (partner_id, loid, added_at desc);
create unique index documents_same on documents (partner_id, loid, sha256)
  where sha256 is not null and state <> 'failed' and removed_at is null;
create index documents_waiting on documents (partner_id) include (size)
  where state in ('uploading', 'pending') and removed_at is null;

create table document_parts (
  partner_id uuid not null,
  document_id uuid not null,
  number int not null,
  content bytea not null,
  primary key (partner_id, document_id, number),
  foreign key (partner_id, document_id) references documents (partner_id, id) on delete cascade
);
-- Files are compressed already.
alter table document_parts alter column content set storage external;

-- When the portal last looked for the lender's documents of a record.
create table document_looks (
  partner_id uuid not null references partners (id),
  loid text not null,
  looked_at timestamptz(3) not null,
  primary key (partner_id, loid)
);

create function tell_of_changed_document() returns trigger language plpgsql as $$
begin
  perform pg_notify('live', new.partner_id || json_build_array(json_build_array('document.changed', new.loid, null))::text);
  return null;
end
$$;
create trigger tell_of_changed_document after insert or update on documents for each row
  when (new.state <> 'uploading' or new.removed_at is not null) execute function tell_of_changed_document();
