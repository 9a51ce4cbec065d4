-- What the lender's partner team says of a partner in the partner's CRM record (D116). Null where the field is blank, has a word that the
-- portal does not know, or does not exist.
alter table partners
  add column portal_access text,
  add column portal_access_reason text,
  -- The record's time in the CRM when this was read.
  add column portal_access_at timestamptz(3),
  -- The value of SIGNUP under which the partner came.
  add column sign_up text not null default 'open' check (sign_up in ('open', 'approval', 'invite')),
  add column access text not null generated always as (
    case when portal_access = 'Suspended' then 'suspended'
         when portal_access = 'Pending' then 'pending'
         when portal_access is null and sign_up <> 'open' then 'pending'
         else 'active' end) stored;

-- Open pages follow it at once.
create function tell_of_partner() returns trigger language plpgsql as $$
begin
  perform pg_notify('live', new.id || json_build_array(json_build_array(tg_argv[0], null, null))::text);
  return null;
end
$$;
create trigger tell_of_access after update of portal_access on partners for each row
  when (old.access is distinct from new.access) execute function tell_of_partner('partner.changed');
