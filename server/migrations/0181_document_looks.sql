-- The first whole look at a record tells no news, and the contact that its conversion made may hold its files (D103).
alter table document_looks
  add column read_at timestamptz(3),
  add column contact_read boolean not null default false,
  add column contact_zoho_id text,
  add column contact_made_at timestamptz(3);
