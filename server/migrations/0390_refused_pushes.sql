-- What the CRM refuses for a reason of its own, so that one record of each cause tries for all of them (D125).
create table refused_pushes (
  partner_id uuid not null references partners on delete cascade,
  kind text not null,
  -- The LOID of a lead or deal, or the id of a note or document.
  record text not null,
  cause text not null,
  since timestamptz(3) not null,
  tried_at timestamptz(3) not null,
  primary key (partner_id, kind, record)
);
create index refused_pushes_of_cause on refused_pushes (cause, tried_at);
