-- Closed by the owner of the email address, who did not create the account. Nothing of it is sent any more, and its email
-- address and business name are free.
alter table partners add column closed_at timestamptz(3);
alter table partners add constraint closed_is_inactive check (closed_at is null or not is_active);
alter table partners drop constraint partners_email_key;
create unique index partners_email_key on partners (email) where closed_at is null;
drop index partners_business_name;
create unique index partners_business_name on partners (lower(business_name)) where closed_at is null;

-- When the portal had found no record of the partner in the CRM and began to make one: the record that a repeat finds is
-- the portal's own, whose answer was lost. Null again when the CRM refused it.
alter table partners add column crm_record_sent_at timestamptz(3);
-- Held: the CRM has a partner record of this name and email, and the address is not confirmed yet.
alter table partners drop constraint partners_crm_check;
alter table partners add constraint partners_crm_check check (crm in ('pending', 'synced', 'failed', 'held'));
