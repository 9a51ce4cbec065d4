-- Why the CRM does not have it, or not all of it, in words. It counts while `crm` is 'failed'; of a partner it also names what
-- the CRM did not accept.
alter table partners add column crm_problem text;
alter table leads add column crm_problem text;
alter table deals add column crm_problem text;
alter table notes add column crm_problem text;
