-- A lead that the CRM converted without a deal stays open until there is one (D124). Older versions go on as before: they
-- set `converted_at` again when they read such a lead, and this version takes it back.
alter table leads add column awaits_deal_since timestamptz(3);
update leads set awaits_deal_since = converted_at, converted_at = null
 where converted_at is not null and deal_loid is null and archived_at is null;
