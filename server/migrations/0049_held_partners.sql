-- An unverified partner's records wait until its address is verified (D122). A partner that was in the CRM before this
-- version goes on as before, and `portal partners` names it.
alter table partners
  add column pushes_unverified boolean not null default false,
  -- Why a held partner is not connected with the CRM; null for a partner that an older version holds.
  add column held_for text check (held_for in ('unverified', 'existing', 'people', 'several', 'deleted')),
  -- The CRM's records from which a held partner may get its own, and how many leads and deals the only one has.
  add column link_candidates text[] not null default '{}',
  add column link_records integer,
  -- The record that the partner may be linked to although it has several people, and the contact who confirmed it (D121).
  add column link_confirmed text,
  add column link_confirmed_by uuid;

update partners set pushes_unverified = true
 where zoho_id is not null
   and exists (select from partner_contacts where partner_id = partners.id and not email_verified);

-- From now on, the time stands only while a push has begun and has no answer.
update partners set crm_record_sent_at = null where zoho_id is not null and crm_record_sent_at is not null;
