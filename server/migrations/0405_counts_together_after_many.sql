-- A transaction that changes many records of a partner puts its rows together only once, so it leaves hundreds. The job
-- `put-counts-together` calls the new function for such partners. Inserts and changes call it as before.
create function put_counts_together(of_partner uuid) returns void language sql as $$
  with apart as (
    delete from record_counts
     where id in (select id from record_counts where partner_id = of_partner for update skip locked)
    returning *
  )
  insert into record_counts (partner_id, kind, value, is_converted, records, with_amount, amount)
  select partner_id, kind, value, is_converted, sum(records), sum(with_amount), sum(amount)
    from apart
   group by partner_id, kind, value, is_converted
  having sum(records) <> 0 or sum(with_amount) <> 0 or sum(amount) <> 0
$$;

create or replace function add_to_counts(
  of_partner uuid, of_kind text, of_value text, converted boolean, count integer, of_amount numeric
) returns void language plpgsql as $$
declare
  added bigint;
begin
  insert into record_counts (partner_id, kind, value, is_converted, records, with_amount, amount)
  values (of_partner, of_kind, of_value, converted, count, case when of_amount is null then 0 else count end,
          coalesce(count * of_amount, 0))
  returning id into added;
  -- Every 16th puts its partner's rows together, but for those that another transaction is putting together. A transaction
  -- does so once, because each time reads the rows that it has put together before.
  if added % 16 = 0 and current_setting('portal.has_counted', true) is distinct from 'true' then
    perform set_config('portal.has_counted', 'true', true);
    perform put_counts_together(of_partner);
  end if;
end
$$;
