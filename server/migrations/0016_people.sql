-- A partner is a business, and people sign in (D60). What belongs to a person leaves the partner's row: the person who signed up
-- is the owner. A closed account has no people, because its address was somebody else's.
create table people (
  id uuid primary key,
  partner_id uuid not null references partners on delete cascade,
  email text not null constraint people_email_key unique,
  first_name text,
  last_name text,
  phone text,
  password_hash text not null,
  role text not null check (role in ('owner', 'member', 'viewer')),
  is_active boolean not null default true,
  email_verified boolean not null default false,
  -- To the minute.
  last_seen_at timestamptz(3),
  created_at timestamptz(3) not null,
  modified_time timestamptz(3) not null
);
create index people_of_partner on people (partner_id);

insert into people (id, partner_id, email, first_name, last_name, phone, password_hash, role, email_verified, created_at, modified_time)
select gen_random_uuid(), id, email, first_name, last_name, phone, password_hash, 'owner', email_verified, created_at, modified_time
  from partners
 where closed_at is null;

alter table sessions add column person_id uuid references people on delete cascade;
update sessions set person_id = people.id from people where people.partner_id = sessions.partner_id;
delete from sessions where person_id is null;
alter table sessions alter column person_id set not null, drop column partner_id;
create index sessions_of_person on sessions (person_id);

alter table account_tokens add column person_id uuid references people on delete cascade;
update account_tokens set person_id = people.id from people where people.partner_id = account_tokens.partner_id;
delete from account_tokens where person_id is null;
alter table account_tokens alter column person_id set not null, drop column partner_id;
create index account_tokens_of_person on account_tokens (person_id, purpose);

alter table known_sources add column person_id uuid references people on delete cascade;
update known_sources set person_id = people.id from people where people.partner_id = known_sources.partner_id;
delete from known_sources where person_id is null;
alter table known_sources drop column partner_id, add primary key (person_id, source_hash);

alter table partners
  drop column email,
  drop column first_name,
  drop column last_name,
  drop column phone,
  drop column password_hash,
  drop column email_verified;

-- The person that the partner's record in the CRM names: of its owners the one who is there the longest, one who was
-- deactivated only where there is no other.
create view partner_contacts as
select distinct on (partner_id) partner_id, id as person_id, email, first_name, last_name, phone, email_verified
  from people
 where role = 'owner'
 order by partner_id, is_active desc, created_at, id;

-- Who was asked to join. Accepting or revoking removes the row.
create table invitations (
  id uuid primary key,
  partner_id uuid not null references partners on delete cascade,
  email text not null,
  first_name text not null,
  last_name text,
  role text not null check (role in ('owner', 'member', 'viewer')),
  invited_by uuid references people on delete set null,
  created_at timestamptz(3) not null,
  -- Both null until the mail with the link is sent.
  token_hash bytea unique,
  expires_at timestamptz(3),
  unique (partner_id, email)
);
create index invitations_by_expiry on invitations (expires_at);
