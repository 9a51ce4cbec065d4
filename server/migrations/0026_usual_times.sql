-- What a status or a stage usually takes (D75): the median of the days from entering to leaving it. Derived from
-- history_entries by a job, and never read back into it.
create table usual_times (
  partner_id uuid not null,
  kind text not null check (kind in ('lead-status', 'deal-stage')),
  value text not null,
  days numeric(6, 1) not null,
  -- How often a lead or deal of the partner entered and left it.
  entries integer not null,
  primary key (partner_id, kind, value)
);

-- When a partner's rows are to be computed again. A partner that is not here is due.
create table usual_times_due (
  partner_id uuid primary key,
  due_at timestamptz(3) not null
);

-- The same over all partners, where enough of them have enough entries.
create table usual_times_of_everybody (
  kind text not null check (kind in ('lead-status', 'deal-stage')),
  value text not null,
  days numeric(6, 1) not null,
  entries integer not null,
  primary key (kind, value)
);
