-- What the portal has written into the partners' CRM records for the lender's team (D116).
create table told_facts (
  partner_id uuid primary key references partners,
  -- The record with the facts.
  zoho_id text,
  facts jsonb not null default '{}',
  -- When the facts were last compared.
  facts_at timestamptz(3),
  problem text,
  -- The records that show the problem.
  problem_records text[] not null default '{}'
);
