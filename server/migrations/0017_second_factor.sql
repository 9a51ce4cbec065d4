-- What a person has beside the password (D66).
create table totp_keys (
  person_id uuid primary key references people on delete cascade,
  secret bytea not null,
  -- Null until a code of it was given: until then it counts for nothing.
  confirmed_at timestamptz(3),
  -- The newest step of 30 seconds whose code was used. A code serves once (RFC 6238, 5.2).
  last_step integer not null default 0,
  created_at timestamptz(3) not null
);

create table recovery_codes (
  person_id uuid not null references people on delete cascade,
  -- Argon2 with a salt of its own: the codes are short enough to be typed.
  code_hash text not null,
  primary key (person_id, code_hash)
);

create table passkeys (
  id uuid primary key,
  person_id uuid not null references people on delete cascade,
  credential_id text not null unique,
  public_key bytea not null,
  -- 32 bits without a sign, which a double holds exactly.
  counter double precision not null,
  transports text[] not null,
  name text not null,
  created_at timestamptz(3) not null,
  last_used_at timestamptz(3)
);
create index passkeys_of_person on passkeys (person_id);

-- Each is taken by the answer to it, so that an answer serves once.
create table passkey_challenges (
  challenge text primary key,
  -- Whose new passkey it is for; null for one that asks for a passkey.
  person_id uuid references people on delete cascade,
  expires_at timestamptz(3) not null
);
create index passkey_challenges_by_expiry on passkey_challenges (expires_at);

alter table account_tokens drop constraint account_tokens_purpose_check;
alter table account_tokens add constraint account_tokens_purpose_check
  check (purpose in ('reset-password', 'verify-email', 'second-factor'));

-- When the person last gave the password or a passkey in this family of sessions.
alter table sessions add column confirmed_at timestamptz(3);
update sessions set confirmed_at = signed_in_at;
alter table sessions alter column confirmed_at set not null;

alter table partners add column second_factor_required boolean not null default false;
