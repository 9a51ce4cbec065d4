-- What the CRM's records of partners say of them (D114). Only the facts of the record that a partner is linked with count.
create table partner_facts (
  partner_id uuid primary key references partners,
  zoho_id text not null,
  crm_modified_time timestamptz not null,
  manager_name text,
  manager_phone text,
  manager_email text
);

create trigger tell_of_partner_facts after insert on partner_facts for each row
  execute function tell_of_row('partner.changed');
create trigger tell_of_changed_partner_facts after update on partner_facts for each row
  when ((old.zoho_id, old.manager_name, old.manager_phone, old.manager_email)
        is distinct from (new.zoho_id, new.manager_name, new.manager_phone, new.manager_email))
  execute function tell_of_row('partner.changed');

alter table sweep_cursors drop constraint sweep_cursors_list_check,
  add constraint sweep_cursors_list_check
    check (list in ('leads', 'deals', 'deleted-leads', 'deleted-deals', 'notes', 'tasks-partner', 'tasks-all', 'partners'));
