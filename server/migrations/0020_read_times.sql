-- When the portal asked the CRM for what the row says. Of two versions of one second the one that was asked for last counts.
alter table leads add column crm_read_at timestamptz(3);
alter table deals add column crm_read_at timestamptz(3);
