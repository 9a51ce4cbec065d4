-- One row, which processes write and look for on the replica: where it shows, all that was committed before is there as well
-- (server/src/platform/db/replica.ts).
create table replica_beats (
  is_only boolean primary key default true check (is_only),
  beat bigint not null
);
