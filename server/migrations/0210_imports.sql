-- Files of leads that a partner checks and then submits (D83). The rows hold applicants' data as it was in the file: they are removed a
-- week after the import's last change, and the file's name with them.
create table imports (
  id uuid primary key,
  partner_id uuid not null references partners (id) on delete cascade,
  person_id uuid references people (id) on delete set null,
  name text,
  state text not null check (state in ('checked', 'submitting', 'done')),
  -- For each column: heading, field and a sample.
  columns jsonb not null,
  rows integer not null,
  with_duplicates boolean not null default false,
  consent_version text,
  -- How many rows are to be submitted, and what came of them once the import is done.
  chosen integer,
  submitted integer not null default 0,
  changed integer not null default 0,
  created_at timestamptz(3) not null,
  submitted_at timestamptz(3),
  done_at timestamptz(3),
  changed_at timestamptz(3) not null,
  has_rows boolean not null default true
);
create index imports_of_partner on imports (partner_id, created_at desc);
create index imports_with_rows on imports (changed_at) where has_rows;

create table import_rows (
  partner_id uuid not null,
  import_id uuid not null references imports (id) on delete cascade,
  -- The row's number in a spreadsheet, where the heading is row 1.
  number integer not null,
  cells jsonb not null,
  -- What a person entered instead, by field.
  mended jsonb not null,
  -- Of the row as it was in the file, with its columns as they are understood.
  hash bytea not null,
  -- The lead that the row becomes. Null for a row with problems.
  lead jsonb,
  problems jsonb not null,
  -- What makes two leads alike: email, phone and business number.
  keys text[] not null,
  duplicates jsonb not null,
  known_as text,
  earlier integer,
  standing text not null generated always as (
    case when known_as is not null then 'known'
         when lead is null then 'wrong'
         when earlier is not null or duplicates <> '[]' then 'duplicate'
         else 'ready' end) stored,
  is_chosen boolean not null default false,
  outcome text check (outcome in ('submitted', 'left-out')),
  since text,
  loid text,
  primary key (partner_id, import_id, number)
);
-- A submission looks for its next row here.
create index import_rows_waiting on import_rows (partner_id, import_id, number) where is_chosen and outcome is null;
create index import_rows_of_loid on import_rows (loid) where loid is not null;

-- Rows that an import wrote: the same row again writes nothing.
create table imported_rows (
  partner_id uuid not null references partners (id) on delete cascade,
  hash bytea not null,
  import_id uuid not null references imports (id) on delete cascade,
  loid text not null,
  primary key (partner_id, hash)
);
create index imported_rows_of_import on imported_rows (import_id);
create index imported_rows_of_loid on imported_rows (loid);
