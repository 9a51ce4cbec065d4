-- When the portal first sent the record to the CRM. A repeat that does not find it there looks for it among the deleted.
alter table leads add column crm_sent_at timestamptz(3);
alter table deals add column crm_sent_at timestamptz(3);
update leads set crm_sent_at = created_at where crm <> 'synced';
update deals set crm_sent_at = created_at where crm <> 'synced';
