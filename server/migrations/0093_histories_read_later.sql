-- Histories of records that changed in another field than status or stage are read later, within a tenth of a day's
-- credits (D126). Until then `history_told_until` has the CRM's time of the last change whose history was read. `later`
-- counts the calls.
alter table leads add column history_told_until timestamptz(3);
alter table deals add column history_told_until timestamptz(3);
alter table crm_calls add column later integer not null default 0;
-- Records that the CRM's notifications named, until they are read. A record that is named again meanwhile gets a new
-- `seq`, so that it is read again.
create sequence noted_records_seq;
create table noted_records (
  module text not null check (module in ('Leads', 'Deals')),
  zoho_id text not null,
  seq bigint not null default nextval('noted_records_seq'),
  primary key (module, zoho_id)
);
