-- Attempts lie in partitions of a month, so that those past their time go with their table and not row by row
-- (docs/decisions/scale.md). They are divided by the id of their delivery, which begins with its time: so the key stays as it
-- is, and what asks for a delivery's attempts reads one partition.

-- Nothing is copied: the table of before becomes the partition of all that was until the end of this month, with its index.
alter table webhook_attempts rename to webhook_attempts_first;
alter index webhook_attempts_pkey rename to webhook_attempts_first_pkey;
-- It would look for the attempts of each delivery that is removed, and those go with their month.
alter table webhook_attempts_first drop constraint webhook_attempts_log_id_fkey;
create table webhook_attempts (like webhook_attempts_first, primary key (log_id, number)) partition by range (log_id);
-- Takes what no partition was made for in time.
create table webhook_attempts_default partition of webhook_attempts default;

do $$
declare
  next_month timestamptz := date_trunc('month', now() at time zone 'UTC') at time zone 'UTC' + interval '1 month';
  bound uuid := lpad(to_hex((extract(epoch from next_month) * 1000)::bigint), 12, '0') || '70008000000000000000';
begin
  with ahead as (delete from webhook_attempts_first where log_id >= bound returning *)
  insert into webhook_attempts select * from ahead;
  execute format(
    'alter table webhook_attempts attach partition webhook_attempts_first for values from (minvalue) to (%L)', bound);
end
$$;
