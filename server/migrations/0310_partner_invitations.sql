-- The partners that the lender's team invites: records of the CRM that say 'Invited' and belong to no partner of the portal yet (D116).
-- A row outlives its invitation without a name or address, so that an older reading of the record sends no second mail.
create table partner_invitations (
  zoho_id text primary key,
  crm_modified_time timestamptz(3) not null,
  state text not null check (state in ('waiting', 'mailed', 'accepted', 'withdrawn')),
  -- Null where the record's value cannot be one of the portal's.
  email text,
  business_name text,
  first_name text,
  last_name text,
  phone text,
  asked_at timestamptz(3) not null default now(),
  link_id uuid,
  mailed_at timestamptz(3),
  token_hash bytea unique,
  expires_at timestamptz(3),
  -- Why there is no mail, or nobody has followed it; and what of it the CRM's record shows.
  problem text,
  told_problem text
);
create index partner_invitations_open on partner_invitations (state, asked_at) where state in ('waiting', 'mailed');
create index partner_invitations_untold on partner_invitations (zoho_id) where problem is distinct from told_problem;
create index partner_invitations_mailed on partner_invitations (mailed_at);

-- 'invited' is there once all records were read for the word.
alter table sweep_cursors drop constraint sweep_cursors_list_check,
  add constraint sweep_cursors_list_check
    check (list in ('leads', 'deals', 'deleted-leads', 'deleted-deals', 'notes', 'tasks-partner', 'tasks-all', 'partners', 'invited'));
