-- The portal searches search_fold alone, so nothing is computed and stored for search any more. The version before names search_text
-- still, for rows without search_fold, which `migrate` fills in.
alter table leads alter column search_text drop expression, alter column search_text drop not null;
alter table deals alter column search_text drop expression, alter column search_text drop not null;

-- The job that filled it in is gone.
do $$
begin
  if to_regclass('jobs.schedule') is not null then
    delete from jobs.schedule where name = 'fill-search';
    delete from jobs.job where name = 'fill-search' and state < 'active';
  end if;
end
$$;
