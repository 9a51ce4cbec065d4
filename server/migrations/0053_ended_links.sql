-- Mailed links that were used, replaced or revoked, for as long as they would have lived. A mail that is sent again finds
-- here that its purpose is over.
create table ended_links (
  token_hash bytea primary key,
  purpose text not null,
  person_id uuid not null references people on delete cascade,
  expires_at timestamptz(3) not null
);
create index ended_links_by_end on ended_links (expires_at);
create index ended_links_of_person on ended_links (person_id);
