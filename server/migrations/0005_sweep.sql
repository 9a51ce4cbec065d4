-- How far the sweep has come in each of the CRM's lists: what changed before then is written (D32). The times are the CRM's own.
create table sweep_cursors (
  list text primary key check (list in ('leads', 'deals', 'deleted-leads', 'deleted-deals', 'notes')),
  position timestamptz(3) not null
);

-- The LOID of a record that was born in the CRM, chosen once: several pulls of it at a time all write the same one.
create table chosen_loids (
  zoho_id text primary key,
  loid text not null
);
