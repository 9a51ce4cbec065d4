-- The CRM's name of each field at the last reading of all records (D126). A field with another name is read again.
create table crm_field_names (
  module text not null check (module in ('Leads', 'Deals')),
  field text not null,
  name text not null,
  primary key (module, field)
);
