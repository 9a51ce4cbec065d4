-- What somebody has marked as done for the whole business, as it was then: another version needs attention again (D127).
create table attention_done (
  partner_id uuid not null,
  kind text not null,
  -- Of the lead, deal or note; for the webhook, the partner's id.
  record_id uuid not null,
  version bigint not null,
  -- A note of the lender's is done only if this snapshot shows it.
  snapshot pg_snapshot not null,
  done_at timestamptz(3) not null,
  primary key (partner_id, kind, record_id)
);
create index attention_done_by_age on attention_done (done_at);
create trigger tell_of_done after insert or update on attention_done for each row execute function tell_of_row('attention.changed');

-- Until now a lender's note needed a person's attention until that person had opened its record or put the item away. Notes that
-- somebody of the business has seen or put away, and notes from before everybody's news began, count as done.
with told as materialized (
  select partner_id, loid, created_at, (extract(epoch from created_at) * 1000)::bigint as ms
    from events where type = 'note.added' and data -> 'submitted_by' = 'null'
), noted as (
  select told.*, leads.id as record_id from told join leads on leads.partner_id = told.partner_id and leads.loid = told.loid
  union
  select told.*, deals.id from told join deals on deals.partner_id = told.partner_id and deals.loid = told.loid
  union
  select told.*, deals.id from told join deals on deals.partner_id = told.partner_id and deals.lead_loid = told.loid
), began as (
  select people.partner_id, min(coalesce(seen.began_at, people.created_at)) as at
    from people left join seen on seen.person_id = people.id
   group by people.partner_id
), opened as (
  select people.partner_id, seen_records.loid, max(seen_records.seen_until) as until
    from seen_records join people on people.id = seen_records.person_id
   group by people.partner_id, seen_records.loid
), hidden as (
  select record_id, max(version / 1000) as ms from put_away where kind = 'lender-note' group by record_id
)
insert into attention_done (partner_id, kind, record_id, version, snapshot, done_at)
select noted.partner_id, 'lender-note', noted.record_id, max(noted.ms) * 1000, pg_current_snapshot(), now()
  from noted
  left join began on began.partner_id = noted.partner_id
  left join opened on opened.partner_id = noted.partner_id and opened.loid = noted.loid
  left join hidden on hidden.record_id = noted.record_id
 where noted.created_at <= began.at or noted.created_at <= opened.until or noted.ms <= hidden.ms
 group by noted.partner_id, noted.record_id;

-- A reminder hides an item until a time; null hides it until its record changes.
alter table put_away drop constraint put_away_kind_check, add column hidden_until timestamptz(3);
