-- Undoing an import (D83). Who asked for it and when, and what came of it once every row is decided.
alter table imports
  add column undo_asked_at timestamptz(3),
  add column undo_person_id uuid references people (id) on delete set null,
  add column undone_at timestamptz(3),
  add column withdrawn integer not null default 0,
  add column kept integer not null default 0;

-- What undoing the import did with the row's lead, and why a kept lead stays.
alter table import_rows
  add column undo text check (undo in ('withdrawn', 'kept')),
  add column kept_because text;
