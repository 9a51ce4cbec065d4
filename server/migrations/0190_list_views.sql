-- Addresses of lists that people gave a name (D81), and the view with which a person's list opens.
create table list_views (
  id uuid primary key,
  partner_id uuid not null references partners on delete cascade,
  person_id uuid not null references people on delete cascade,
  list text not null check (list in ('leads', 'deals', 'activity')),
  name text not null,
  query text not null,
  is_shared boolean not null,
  created_at timestamptz(3) not null,
  unique (person_id, list, name)
);
create index list_views_shared on list_views (partner_id) where is_shared;

create table default_views (
  person_id uuid not null references people on delete cascade,
  list text not null,
  view_id uuid not null references list_views on delete cascade,
  primary key (person_id, list)
);
create index default_views_of_view on default_views (view_id);
