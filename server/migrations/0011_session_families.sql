-- All sessions that came from one sign-in, by one exchange after the other. Those from before are families of their own.
alter table sessions add column family_id uuid not null default gen_random_uuid();
alter table sessions alter column family_id drop default;
-- Set by the first exchange: with it and the token itself, which is not stored, a second exchange makes the same successor.
alter table sessions add column successor_seed bytea;
create index sessions_of_family on sessions (family_id);
