-- What open pages are told at once (D70). A notification is the partner's id and a list of messages: [type, loid, event's id].
-- A page of 200 events is four notifications: one holds 8,000 bytes at most.
create function tell_of_events() returns trigger language plpgsql as $$
begin
  perform pg_notify('live', partner_id || json_agg(json_build_array(type, loid, id))::text)
    from (select *, (row_number() over (partition by partner_id order by id) - 1) / 50 as part from recorded) as numbered
   group by partner_id, part;
  return null;
end
$$;
create trigger tell_of_events after insert on events
  referencing new table as recorded for each statement execute function tell_of_events();

-- What shows in a lead or a deal and is no event: whether the CRM has it, and fields that the lender changed.
create function tell_of_changed_records() returns trigger language plpgsql as $$
begin
  perform pg_notify('live', partner_id || json_agg(json_build_array(tg_argv[0], loid, null))::text)
    from (select new_rows.partner_id, new_rows.loid, (row_number() over (partition by new_rows.partner_id) - 1) / 50 as part
            from new_rows join old_rows using (id)
           where (new_rows.crm, new_rows.modified_time) is distinct from (old_rows.crm, old_rows.modified_time)) as numbered
   group by partner_id, part;
  return null;
end
$$;
create trigger tell_of_changed_leads after update on leads
  referencing old table as old_rows new table as new_rows for each statement execute function tell_of_changed_records('lead.changed');
create trigger tell_of_changed_deals after update on deals
  referencing old table as old_rows new table as new_rows for each statement execute function tell_of_changed_records('deal.changed');

create function tell_of_changed_note() returns trigger language plpgsql as $$
begin
  perform pg_notify('live', new.partner_id || json_build_array(json_build_array('note.changed', new.loid, null))::text);
  return null;
end
$$;
create trigger tell_of_changed_note after update on notes for each row
  when ((old.crm, old.content) is distinct from (new.crm, new.content)) execute function tell_of_changed_note();

create function tell_of_sync() returns trigger language plpgsql as $$
begin
  perform pg_notify('live', new.partner_id || json_build_array(json_build_array(
    case new.status when 'running' then 'sync.progressed' else 'sync.ended' end, null, null))::text);
  return null;
end
$$;
create trigger tell_of_sync after insert or update on sync_runs for each row execute function tell_of_sync();

-- One text a partner, however many rows: PostgreSQL sends the same notification once a transaction.
create function tell_of_row() returns trigger language plpgsql as $$
begin
  perform pg_notify('live', coalesce(new.partner_id, old.partner_id) || json_build_array(json_build_array(tg_argv[0], null, null))::text);
  return null;
end
$$;
create trigger tell_of_log after insert on webhook_logs for each row execute function tell_of_row('webhook.logged');
create trigger tell_of_attempt after update on webhook_logs for each row
  when ((old.status, old.attempts) is distinct from (new.status, new.attempts)) execute function tell_of_row('webhook.logged');
create trigger tell_of_endpoint after insert or update or delete on webhook_endpoints for each row
  execute function tell_of_row('endpoint.changed');
create trigger tell_of_person after insert or delete or update of email, first_name, last_name, role, is_active on people for each row
  execute function tell_of_row('team.changed');
create trigger tell_of_invitation after insert or update or delete on invitations for each row
  execute function tell_of_row('team.changed');
create trigger tell_of_security after insert on security_log for each row execute function tell_of_row('security.logged');
