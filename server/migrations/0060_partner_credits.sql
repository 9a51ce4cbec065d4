-- What the calls to the CRM for one partner cost, by the hour and of all processes (D122).
create table crm_partner_credits (
  hour timestamptz(3) not null,
  partner_id uuid not null,
  credits integer not null,
  primary key (hour, partner_id)
);
