create extension if not exists pg_trgm;
create extension if not exists btree_gin;

create table partners (
  id uuid primary key,
  email text not null unique,
  business_name text not null,
  first_name text,
  last_name text,
  phone text,
  password_hash text not null,
  is_active boolean not null default true,
  email_verified boolean not null default false,
  -- The partner's record in the CRM, null until the push has made it.
  zoho_id text unique,
  crm text not null default 'pending' check (crm in ('pending', 'synced', 'failed')),
  created_at timestamptz(3) not null,
  modified_time timestamptz(3) not null
);
create unique index partners_business_name on partners (lower(business_name));

create table sessions (
  token_hash bytea primary key,
  partner_id uuid not null references partners on delete cascade,
  -- When the partner signed in; refreshing keeps it, which bounds a session to 30 days.
  signed_in_at timestamptz(3) not null,
  expires_at timestamptz(3) not null
);
create index sessions_of_partner on sessions (partner_id);
create index sessions_by_expiry on sessions (expires_at);

create table account_tokens (
  token_hash bytea primary key,
  partner_id uuid not null references partners on delete cascade,
  purpose text not null check (purpose in ('reset-password', 'verify-email')),
  expires_at timestamptz(3) not null
);
create index account_tokens_of_partner on account_tokens (partner_id, purpose);

-- The table that rate-limiter-flexible reads and writes. An email address alone may fill the key's usual 255 characters.
create table rate_limits (
  key text primary key,
  points integer not null default 0,
  expire bigint
);

-- The remembered answers of D9. Written in the transaction of what they answer.
create table idempotency_keys (
  -- The partner, or the nil UUID where nobody is signed in.
  scope uuid not null,
  key_hash bytea not null,
  request_hash bytea not null,
  answer jsonb,
  created_at timestamptz(3) not null,
  primary key (scope, key_hash)
);
create index idempotency_keys_by_age on idempotency_keys (created_at);
