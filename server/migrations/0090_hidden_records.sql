-- Leads and deals that the CRM did not show when the portal last looked, and that it does not name as deleted (D123).
create table hidden_records (
  module text not null,
  zoho_id text not null,
  partner_id uuid not null references partners on delete cascade,
  since timestamptz(3) not null,
  primary key (module, zoho_id)
);
create index hidden_records_of_partner on hidden_records (partner_id);
-- Open pages say how many records of theirs the CRM hides.
create trigger tell_of_hidden_record after insert or delete on hidden_records for each row
  execute function tell_of_row('team.changed');
