-- What the portal last wrote into the partner's CRM record, by the portal's names. Later pushes write only what has changed
-- since, so that they do not put back what staff have corrected. Null: unknown, so everything is written.
alter table partners add column crm_fields jsonb;
update partners set crm_fields = jsonb_build_object('business_name', business_name, 'email', contact.email,
         'first_name', contact.first_name, 'last_name', contact.last_name, 'phone', contact.phone)
  from partner_contacts as contact
 where contact.partner_id = partners.id and crm = 'synced' and crm_problem is null;
