-- Deals that a partner submits are pushed as leads are.
create index deals_to_push on deals (partner_id) where crm <> 'synced';

create table api_keys (
  -- One key a partner: generating again replaces it.
  partner_id uuid primary key references partners,
  key_hash bytea not null unique,
  preview text not null,
  created_at timestamptz(3) not null,
  -- Kept to the minute.
  last_used_at timestamptz(3)
);

create table webhook_endpoints (
  partner_id uuid primary key references partners,
  url text not null,
  -- Kept as it is: every delivery is signed with it.
  secret text not null,
  previous_secret text,
  previous_secret_until timestamptz(3),
  -- Since when every attempt has failed; null after a success.
  failing_since timestamptz(3),
  disabled_at timestamptz(3),
  disabled_reason text check (disabled_reason in ('gone', 'failing')),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);

-- Calls of the partner's systems to us (inbound) and deliveries to the partner's endpoint (outbound), in one log (D37).
create table webhook_logs (
  id uuid primary key,
  partner_id uuid not null references partners,
  direction text not null check (direction in ('inbound', 'outbound')),
  status text not null check (status in ('success', 'failed', 'error', 'pending')),
  -- The path that was called, or the URL that is.
  endpoint text not null,
  -- Of a delivery; a test has a type and no event.
  event_id uuid,
  event_type text,
  loid text,
  response_status integer,
  error_message text,
  -- Of a delivery: the very bytes that every attempt sends.
  request_body text,
  response_body text,
  attempts integer not null default 0,
  -- How many attempts came before the present schedule of retries: sending again resets it.
  attempts_before integer not null default 0,
  -- Of a delivery that is pending, and of no other row.
  next_attempt_at timestamptz(3),
  -- Until then a process is at it; a process that was killed does not come back to it. No index knows the column, so
  -- that a claim writes none.
  claimed_until timestamptz(3),
  created_at timestamptz(3) not null,
  -- What the log's search box looks in: what names a row, not its bodies.
  search_text text not null generated always as (
    lower(
      coalesce(loid || ' ' || replace(loid, '-', ''), '') || ' ' || coalesce(event_type, '') || ' ' || endpoint || ' ' ||
      coalesce(error_message, '')
    )
  ) stored
);
create index webhook_logs_of_partner on webhook_logs (partner_id, created_at desc, id desc);
-- What a partner looks for, and what is rare.
create index webhook_logs_in_trouble on webhook_logs (partner_id, status, created_at desc, id desc)
  where status in ('failed', 'error');
create index webhook_logs_due on webhook_logs (partner_id, next_attempt_at, id) where next_attempt_at is not null;
create index webhook_logs_by_age on webhook_logs (created_at);
-- An event becomes at most one delivery an endpoint, also when it is fanned out twice.
create unique index webhook_logs_of_event on webhook_logs (event_id, partner_id) where event_id is not null;

create table webhook_attempts (
  log_id uuid not null references webhook_logs on delete cascade,
  number integer not null,
  started_at timestamptz(3) not null,
  duration_ms integer not null,
  response_status integer,
  error_message text,
  primary key (log_id, number)
);

-- Whether a delivery is still to be made of the event. Set as it is recorded, if the partner has an active endpoint then.
alter table events add column to_deliver boolean not null default false;
create index events_to_deliver on events (created_at, id) where to_deliver;

-- A trigger, because its look is planned once a connection: as a part of the insert it made recording an event half as
-- dear again, for every lead of every partner, and most partners have no endpoint.
create function mark_event_to_deliver() returns trigger language plpgsql as $$
begin
  new.to_deliver := exists (
    select from webhook_endpoints where partner_id = new.partner_id and disabled_at is null
  );
  if new.to_deliver then
    perform pg_notify('events_to_deliver', '');
  end if;
  return new;
end
$$;
create trigger mark_event_to_deliver before insert on events for each row execute function mark_event_to_deliver();
