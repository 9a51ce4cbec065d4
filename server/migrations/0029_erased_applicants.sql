-- When an applicant's data were erased on request (D97). What was emptied then stays empty, whatever the CRM says.
alter table leads add column erased_at timestamptz(3);
alter table deals add column erased_at timestamptz(3);
-- Few: a deal that the CRM makes of such a lead later is found by its LOID.
create index leads_erased on leads (loid) where erased_at is not null;
