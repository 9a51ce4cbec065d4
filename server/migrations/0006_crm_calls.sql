-- Calls to the CRM by the hour, of all processes: Zoho limits them in any 24 hours (D34).
create table crm_calls (
  hour timestamptz(3) primary key,
  calls integer not null
);
