-- The CRM tells times in whole seconds, so two changes of a record can have the same time. If a row was read again and its time is
-- the same, its other columns are compared, except those that no page shows.
create or replace function tell_of_changed_records() returns trigger language plpgsql as $$
declare
  unseen constant text[] := array['crm_read_at', 'crm_modified_time', 'history_due', 'history_told_until', 'notes_due',
                                  'search_fold', 'search_keys', 'search_text'];
begin
  perform pg_notify('live', partner_id || json_agg(json_build_array(tg_argv[0], loid, null))::text)
    from (select new_rows.partner_id, new_rows.loid, (row_number() over (partition by new_rows.partner_id) - 1) / 50 as part
            from new_rows join old_rows using (id)
           where (new_rows.crm, new_rows.modified_time) is distinct from (old_rows.crm, old_rows.modified_time)
              or (new_rows.crm_read_at is distinct from old_rows.crm_read_at
                  and to_jsonb(new_rows) - unseen is distinct from to_jsonb(old_rows) - unseen)) as numbered
   group by partner_id, part;
  return null;
end
$$;
