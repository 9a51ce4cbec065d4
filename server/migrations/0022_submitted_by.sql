-- Who entered a lead, deal or note in the portal (D64): one of the partner's people, or, without an id, a system by its API key.
-- The name is what it was then. What was born in the CRM has neither.
alter table leads add column submitter_id uuid, add column submitted_by text;
alter table deals add column submitter_id uuid, add column submitted_by text;
alter table notes add column submitter_id uuid, add column submitted_by text;

create index leads_listed_by_submitter on leads (partner_id, submitter_id, created_at desc, id desc) include (lead_status, lead_source)
 where submitter_id is not null and converted_at is null and archived_at is null;
create index deals_listed_by_submitter on deals (partner_id, submitter_id, created_at desc, id desc) include (stage, amount)
 where submitter_id is not null and archived_at is null;
