-- The business name as people see it (D132), by which two names are the same. Null until a job has filled it in, and for
-- a partner whose name collided already: `portal partners` names it, and it keeps its name.
alter table partners add column compared_name text;
create unique index partners_compared_name on partners (compared_name) where closed_at is null;

-- A version that does not know the column changes only the name. The job then fills it in again.
create function forget_compared_name() returns trigger language plpgsql as $$
begin
  new.compared_name := null;
  return new;
end $$;
create trigger forget_compared_name before update of business_name on partners for each row
  when (lower(new.business_name) <> lower(old.business_name) and new.compared_name = old.compared_name)
  execute function forget_compared_name();
