-- How far each process has seen its replica come (server/src/platform/db/replica.ts): a row of its own, which no other database can show.
-- The next version drops replica_beats.
create table process_beats (
  process uuid primary key,
  beat bigint not null,
  at timestamptz(3) not null default now()
);

-- When the CRM was last asked for all that changed, and answered.
alter table sweep_cursors add column swept_at timestamptz(3) not null default now();
