-- What calls to the CRM cost by its price list, by the hour and of all processes (D57).
alter table crm_calls add column credits integer not null default 0;

-- What Zoho itself said is left, which it says only once half of the day's credits are used.
create table crm_credits_left (
  connection boolean primary key default true check (connection),
  credits integer not null,
  told_at timestamptz(3) not null
);

-- The processes that call the CRM, which share the calls that may run at once.
create table crm_callers (
  id uuid primary key,
  seen_at timestamptz(3) not null
);
