-- The keys that a business gives to its systems, each with a name and rights (D84). The specification's one key stays in api_keys, where
-- an older version looks for it; that version refuses these keys.
create table named_api_keys (
  id uuid primary key,
  partner_id uuid not null references partners,
  name text not null,
  may_submit boolean not null,
  may_read boolean not null,
  key_hash bytea not null unique,
  preview text not null,
  made_by uuid references people on delete set null,
  created_at timestamptz(3) not null,
  -- Kept to the minute.
  last_used_at timestamptz(3),
  check (may_submit or may_read)
);
create index named_api_keys_of_partner on named_api_keys (partner_id, created_at desc, id desc);
create index named_api_keys_of_person on named_api_keys (made_by);
