-- What concerned the security of a partner's account (D68). The newest have the highest ids.
create table security_log (
  id uuid primary key,
  partner_id uuid not null references partners on delete cascade,
  at timestamptz(3) not null,
  event text not null,
  -- What the event is one of, so that an index finds it.
  kind text not null,
  -- Who did it. No reference: what somebody did stays when the person goes.
  person_id uuid,
  -- The person it was done to.
  subject_id uuid,
  subject_name text,
  detail text,
  reason text,
  ip text,
  browser text
);
create index security_log_of_partner on security_log (partner_id, id desc);
create index security_log_of_kind on security_log (partner_id, kind, id desc);
create index security_log_of_person on security_log (partner_id, person_id, id desc);
create index security_log_by_age on security_log (at);

-- Nobody corrects the log afterwards; only time removes from it.
create function refuse_change_of_log() returns trigger language plpgsql as $$
begin
  raise exception 'The security log is only added to';
end
$$;
create trigger refuse_change_of_log before update on security_log for each row execute function refuse_change_of_log();
