-- A row of an import that was left out although nothing is wrong with it, because of its partner or its person: it can be submitted again (D83).
alter table import_rows add column refused boolean not null default false;
