-- The transaction that recorded an event. Ids and times are made before their transaction commits, so an event may appear behind
-- others that a person has looked at already. What a look saw, its snapshot tells exactly (D72). Events of before have none.
alter table events add column xid xid8;
alter table events alter column xid set default pg_current_xact_id();

-- Who did it: a person's id, 'api-key' or 'lender'. Null for what was entered before people were remembered.
create function event_actor(type text, person_id uuid, data jsonb) returns text language sql immutable parallel safe
return case
  when person_id is not null then person_id::text
  when data ->> 'submitted_by' is not null then 'api-key'
  when type in ('lead.created', 'deal.created', 'note.added') and not data ? 'submitted_by' then null
  else 'lender'
end;
create index events_by_type on events (partner_id, type, created_at desc, id desc);
create index events_by_actor on events (partner_id, event_actor(type, person_id, data), created_at desc, id desc);
create index events_of_lenders_notes on events (partner_id, created_at desc, id desc)
  where type = 'note.added' and data -> 'submitted_by' = 'null';

-- How far a person has looked: at all that happened until then, as far as it was visible in the snapshot.
create table seen (
  person_id uuid primary key references people on delete cascade,
  -- What happened before is no news, and no note of before is unread.
  began_at timestamptz(3) not null,
  seen_until timestamptz(3) not null,
  snapshot pg_snapshot not null
);
-- A person without a row begins with their account. People of before this table begin now.
insert into seen (person_id, began_at, seen_until, snapshot)
select id, now(), now(), pg_current_snapshot() from people;

-- The same of one record that the person has opened.
create table seen_records (
  person_id uuid not null references people on delete cascade,
  loid text not null,
  seen_until timestamptz(3) not null,
  snapshot pg_snapshot not null,
  primary key (person_id, loid)
);
create index seen_records_by_age on seen_records (seen_until);

-- What a person does not want to be reminded of, as it was then: another version is shown again.
create table put_away (
  person_id uuid not null references people on delete cascade,
  kind text not null check (kind in ('crm-failed', 'lender-note', 'no-movement')),
  -- Of the lead, deal or note.
  record_id uuid not null,
  version bigint not null,
  put_away_at timestamptz(3) not null,
  primary key (person_id, kind, record_id)
);
create index put_away_by_age on put_away (put_away_at);

-- When the portal gave up on the CRM, and since when a record stands where it stands: what needs attention is found by these alone.
alter table leads add column crm_failed_at timestamptz(3), add column status_since timestamptz(3);
alter table deals add column crm_failed_at timestamptz(3), add column stage_since timestamptz(3);
alter table notes add column crm_failed_at timestamptz(3);
update leads set crm_failed_at = modified_time where crm = 'failed';
update deals set crm_failed_at = modified_time where crm = 'failed';
update notes set crm_failed_at = created_at where crm = 'failed';
update leads
   set status_since = coalesce(
         (select max(changed_time) from history_entries as entry
           where entry.partner_id = leads.partner_id and entry.loid = leads.loid and entry.kind = 'lead-status'),
         modified_time)
 where converted_at is null and archived_at is null;
update deals
   set stage_since = coalesce(
         (select max(changed_time) from history_entries as entry
           where entry.partner_id = deals.partner_id and entry.loid = deals.loid and entry.kind = 'deal-stage'),
         modified_time)
 where archived_at is null;
create index leads_failed on leads (partner_id, crm_failed_at desc) where crm = 'failed' and archived_at is null;
create index deals_failed on deals (partner_id, crm_failed_at desc) where crm = 'failed' and archived_at is null;
create index notes_failed on notes (partner_id, crm_failed_at desc) where crm = 'failed';
create index leads_standing on leads (partner_id, lead_status, status_since)
  where converted_at is null and archived_at is null;
create index deals_standing on deals (partner_id, stage, stage_since) where archived_at is null;

create function note_crm_failure() returns trigger language plpgsql as $$
begin
  new.crm_failed_at := clock_timestamp();
  return new;
end
$$;
create trigger note_crm_failure before update on leads for each row
  when (new.crm = 'failed' and old.crm <> 'failed') execute function note_crm_failure();
create trigger note_crm_failure before update on deals for each row
  when (new.crm = 'failed' and old.crm <> 'failed') execute function note_crm_failure();
create trigger note_crm_failure before update on notes for each row
  when (new.crm = 'failed' and old.crm <> 'failed') execute function note_crm_failure();

-- What the row says, until its history says better: mostly the same, so that the row is written once.
create function begin_lead_status() returns trigger language plpgsql as $$
begin
  new.status_since := case tg_op when 'INSERT' then new.created_at else new.modified_time end;
  return new;
end
$$;
create trigger begin_lead_status before insert on leads for each row execute function begin_lead_status();
create trigger change_lead_status before update on leads for each row
  when (new.lead_status <> old.lead_status) execute function begin_lead_status();
create function begin_deal_stage() returns trigger language plpgsql as $$
begin
  new.stage_since := case tg_op when 'INSERT' then new.created_at else new.modified_time end;
  return new;
end
$$;
create trigger begin_deal_stage before insert on deals for each row execute function begin_deal_stage();
create trigger change_deal_stage before update on deals for each row
  when (new.stage <> old.stage) execute function begin_deal_stage();

create function date_standing() returns trigger language plpgsql as $$
begin
  update leads
     set status_since = latest.changed_time
    from (select distinct on (entry.loid) entry.loid, entry.value, entry.changed_time
            from history_entries as entry
           where entry.kind = 'lead-status'
             and (entry.partner_id, entry.loid) in (select partner_id, loid from added where kind = 'lead-status')
           order by entry.loid, entry.changed_time desc, entry.id desc) as latest
   where leads.loid = latest.loid and leads.lead_status = latest.value
     and leads.status_since is distinct from latest.changed_time;
  update deals
     set stage_since = latest.changed_time
    from (select distinct on (entry.loid) entry.loid, entry.value, entry.changed_time
            from history_entries as entry
           where entry.kind = 'deal-stage'
             and (entry.partner_id, entry.loid) in (select partner_id, loid from added where kind = 'deal-stage')
           order by entry.loid, entry.changed_time desc, entry.id desc) as latest
   where deals.loid = latest.loid and deals.stage = latest.value
     and deals.stage_since is distinct from latest.changed_time;
  return null;
end
$$;
create trigger date_standing after insert on history_entries
  referencing new table as added for each statement execute function date_standing();
