-- When each lead and deal last changed, as a position in the order of commits (D84): the transaction that changed it, and the place in that
-- transaction. A reader gets rows below pg_snapshot_xmin(pg_current_snapshot()) only, which no open transaction can add to.
-- One row a record, so that a reader gets each record once however often it changed. Rows are kept as long as a cursor is valid.
create table record_changes (
  record_id uuid not null,
  partner_id uuid not null references partners on delete cascade,
  kind text not null check (kind in ('lead', 'deal')),
  loid text not null,
  -- Null in a restored backup, where it means nothing: such a row is no change.
  xid xid8,
  place bigint generated always as identity,
  at timestamptz(3) not null,
  primary key (record_id, partner_id)
);
create index record_changes_in_order on record_changes (partner_id, kind, xid, place);
create index record_changes_by_age on record_changes (at);

-- Names the order of transactions that positions belong to. It changes with another cluster, a fail-over, a restore to a point in time, and
-- a restore of a dump, because each of them can use the numbers of transactions again.
create function order_of_commits() returns text language sql stable as $$
  select md5(concat_ws(' ', (select system_identifier from pg_control_system()), left(pg_walfile_name(pg_current_wal_lsn()), 8),
                       (select oid from pg_database where datname = current_database()), 'record_changes'::regclass::oid))
$$;

create function note_change(of_record uuid, of_partner uuid, of_kind text, of_loid text) returns void language sql as $$
  insert into record_changes as known (record_id, partner_id, kind, loid, xid, at)
  values (of_record, of_partner, of_kind, of_loid, pg_current_xact_id(), now())
  on conflict (record_id, partner_id) do update
    set xid = excluded.xid, place = default, loid = excluded.loid, at = excluded.at
$$;

create function note_changed_record() returns trigger language plpgsql as $$
begin
  -- The former partner of a record that moved loses it.
  if tg_op = 'DELETE' or (tg_op = 'UPDATE' and old.partner_id <> new.partner_id) then
    perform note_change(old.id, old.partner_id, tg_argv[0], old.loid);
  end if;
  if tg_op <> 'DELETE' then
    perform note_change(new.id, new.partner_id, tg_argv[0], new.loid);
  end if;
  return null;
end
$$;

-- Only what a system can read counts as a change. A record that left the lists before it is deleted was noted then.
create trigger note_new_lead after insert on leads for each row execute function note_changed_record('lead');
create trigger note_deleted_lead after delete on leads for each row
  when (old.archived_at is null) execute function note_changed_record('lead');
create trigger note_changed_lead after update on leads for each row
  when ((old.partner_id, old.loid, old.business_name, old.first_name, old.last_name, old.email, old.phone, old.state, old.loan_amount,
         old.loan_type, old.loan_purpose, old.loan_term, old.sales_monthly, old.lead_status, old.lead_source, old.description,
         old.business_industry, old.time_in_business, old.business_abn, old.partner_iso, old.owns_property, old.property_value,
         old.property_debt, old.submitted_by, old.awaits_deal_since, old.partner_verdict, old.verdict_reason, old.protected_until,
         old.crm, old.created_at, old.modified_time, old.converted_at is null, old.deal_loid, old.archived_at is null, old.erased_at is null)
    is distinct from
        (new.partner_id, new.loid, new.business_name, new.first_name, new.last_name, new.email, new.phone, new.state, new.loan_amount,
         new.loan_type, new.loan_purpose, new.loan_term, new.sales_monthly, new.lead_status, new.lead_source, new.description,
         new.business_industry, new.time_in_business, new.business_abn, new.partner_iso, new.owns_property, new.property_value,
         new.property_debt, new.submitted_by, new.awaits_deal_since, new.partner_verdict, new.verdict_reason, new.protected_until,
         new.crm, new.created_at, new.modified_time, new.converted_at is null, new.deal_loid, new.archived_at is null, new.erased_at is null))
  execute function note_changed_record('lead');

create trigger note_new_deal after insert on deals for each row execute function note_changed_record('deal');
create trigger note_deleted_deal after delete on deals for each row
  when (old.archived_at is null) execute function note_changed_record('deal');
create trigger note_changed_deal after update on deals for each row
  when ((old.partner_id, old.loid, old.deal_name, old.business_name, old.contact_name, old.email, old.phone, old.amount, old.loan_type,
         old.loan_purpose, old.loan_term, old.stage, old.lead_source, old.closing_date, old.probability, old.description,
         old.partner_iso, old.submitted_by, old.crm, old.created_at, old.modified_time, old.archived_at is null, old.erased_at is null)
    is distinct from
        (new.partner_id, new.loid, new.deal_name, new.business_name, new.contact_name, new.email, new.phone, new.amount, new.loan_type,
         new.loan_purpose, new.loan_term, new.stage, new.lead_source, new.closing_date, new.probability, new.description,
         new.partner_iso, new.submitted_by, new.crm, new.created_at, new.modified_time, new.archived_at is null, new.erased_at is null))
  execute function note_changed_record('deal');
