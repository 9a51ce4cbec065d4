-- Where an account signed in from: no failures of others keep it out from there.
create table known_sources (
  partner_id uuid not null references partners on delete cascade,
  -- SHA-256 of the IP address, or of the mark that a cookie keeps in the browser.
  source_hash bytea not null,
  seen_at timestamptz(3) not null,
  primary key (partner_id, source_hash)
);
create index known_sources_by_age on known_sources (seen_at);
