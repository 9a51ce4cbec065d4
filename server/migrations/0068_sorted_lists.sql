-- concurrently: each statement runs on its own, outside a transaction, and runs again after a process was killed in it.
-- Each column by which people sort a list (D80). Status, stage and day of submission have indexes already.
create index concurrently leads_sorted_by_name on leads (partner_id, business_name collate "und-x-icu", created_at desc, id desc)
  where converted_at is null and archived_at is null;
create index concurrently leads_sorted_by_loid on leads (partner_id, loid, created_at desc, id desc)
  where converted_at is null and archived_at is null;
create index concurrently leads_sorted_by_amount on leads (partner_id, loan_amount, created_at desc, id desc)
  where converted_at is null and archived_at is null;
create index concurrently leads_sorted_by_iso on leads (partner_id, partner_iso, created_at desc, id desc)
  where converted_at is null and archived_at is null;
create index concurrently leads_sorted_by_change on leads (partner_id, modified_time, created_at desc, id desc)
  where converted_at is null and archived_at is null;
create index concurrently deals_sorted_by_name on deals (partner_id, deal_name collate "und-x-icu", created_at desc, id desc)
  where archived_at is null;
create index concurrently deals_sorted_by_loid on deals (partner_id, loid, created_at desc, id desc)
  where archived_at is null;
create index concurrently deals_sorted_by_amount on deals (partner_id, amount, created_at desc, id desc)
  where archived_at is null;
create index concurrently deals_sorted_by_change on deals (partner_id, modified_time, created_at desc, id desc)
  where archived_at is null;
