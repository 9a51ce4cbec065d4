-- What happened, in order: the dashboard's activity now, the deliveries to partners' endpoints later (D35).
create table events (
  id uuid primary key,
  partner_id uuid not null,
  type text not null,
  loid text,
  data jsonb not null,
  created_at timestamptz(3) not null
);
create index events_of_partner on events (partner_id, created_at desc, id desc);

create table sync_runs (
  id uuid primary key,
  partner_id uuid not null references partners,
  kind text not null check (kind in ('leads', 'deals', 'all')),
  status text not null check (status in ('running', 'succeeded', 'failed')),
  phase text,
  done integer not null default 0,
  total integer not null default 0,
  error text,
  result jsonb,
  started_at timestamptz(3) not null,
  finished_at timestamptz(3)
);
-- One run a partner at a time (D30), whichever process started it.
create unique index sync_runs_running on sync_runs (partner_id) where status = 'running';
create index sync_runs_of_partner on sync_runs (partner_id, started_at desc);

-- The CRM's access token, shared by every process (Zoho refuses more than ten a ten minutes).
create table crm_tokens (
  -- Which connection: a hash of accounts address, client id and refresh token.
  connection text primary key,
  access_token text not null,
  api_domain text not null,
  expires_at timestamptz(3) not null
);

-- The CRM's own lists of statuses and stages, kept for a day (D22).
create table crm_choices (
  field text primary key,
  choices jsonb not null,
  fetched_at timestamptz(3) not null
);
