-- As before, but a partner's rows are put together four times as often. A list, which tells how many records there are, read
-- 64 rows on average. A transaction does so once, because each time reads the rows that it has put together before.
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
  -- Every 16th puts its partner's rows together, but for those that another transaction is putting together.
  if added % 16 = 0 and current_setting('portal.has_counted', true) is distinct from 'true' then
    perform set_config('portal.has_counted', 'true', true);
    with apart as (
      delete from record_counts
       where id in (select id from record_counts where partner_id = of_partner for update skip locked)
      returning *
    )
    insert into record_counts (partner_id, kind, value, is_converted, records, with_amount, amount)
    select partner_id, kind, value, is_converted, sum(records), sum(with_amount), sum(amount)
      from apart
     group by partner_id, kind, value, is_converted
    having sum(records) <> 0 or sum(with_amount) <> 0 or sum(amount) <> 0;
  end if;
end
$$;
