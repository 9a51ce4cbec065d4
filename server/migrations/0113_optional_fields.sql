-- Fields that an organisation may lack (D110, D112). They stay empty where it does.
alter table leads
  add column partner_verdict text,
  add column verdict_reason text,
  add column protected_until date;
alter table deals
  add column partner_commission numeric(14, 2),
  add column commission_status text,
  add column commission_paid_on date,
  add column commission_note text;

-- The groups of optional fields that are on, by what the organisation's settings said last.
create table crm_field_groups (
  name text primary key,
  fields text[] not null,
  -- When these fields were first seen, and when the last reading of their values began that reached its end.
  seen_at timestamptz not null,
  read_at timestamptz
);
