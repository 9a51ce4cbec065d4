-- Corrections and withdrawals by the partner (D86). When the lender was first seen to have touched a lead. Leads from before this
-- column count as touched.
alter table leads add column touched_at timestamptz(3) default now();
alter table leads alter column touched_at drop default;

alter table leads drop constraint leads_archived_reason_check,
  add constraint leads_archived_reason_check check (archived_reason in ('left-crm', 'withdrawn')) not valid;

-- What somebody asks to change of a lead, until it is done; a refusal stays until the next attempt, without what was typed.
create table lead_changes (
  loid text primary key,
  partner_id uuid not null references partners on delete cascade,
  person_id uuid not null references people on delete cascade,
  kind text not null check (kind in ('correct', 'withdraw')),
  state text not null check (state in ('waiting', 'refused')),
  -- The corrected columns with their new values.
  corrected jsonb,
  reason text,
  problem text,
  asked_at timestamptz(3) not null,
  -- When the CRM was first asked to make the change.
  sent_at timestamptz(3)
);
create index lead_changes_of_partner on lead_changes (partner_id);
create index lead_changes_of_person on lead_changes (person_id);
