-- Who accepted which agreement for the business (D113). The row stays when the person goes.
create table accepted_agreements (
  partner_id uuid not null references partners,
  sha256 text not null,
  version text not null,
  person_id uuid references people on delete set null,
  ip text,
  agreed_at timestamptz not null,
  -- The day in the lender's time zone.
  agreed_on date not null,
  primary key (partner_id, sha256)
);
create index accepted_agreements_person on accepted_agreements (person_id);

create trigger tell_of_agreement after insert on accepted_agreements for each row
  execute function tell_of_row('partner.changed');
