-- What one process at a time does while it waits for another machine. The row of one that dies runs out by itself.
create table leases (
  name text primary key,
  holder uuid not null,
  until timestamptz(3) not null
);

-- A connection that has no token yet may have been told to stay quiet, so its row begins without one.
alter table crm_tokens
  alter column access_token drop not null,
  alter column api_domain drop not null,
  alter column expires_at drop not null,
  add column quiet_until timestamptz(3);
