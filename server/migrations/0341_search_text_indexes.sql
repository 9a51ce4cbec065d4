-- concurrently: each statement runs on its own, outside a transaction, and runs again after a process was killed in it.
-- The list of deals, also by amount, and what trends add up, from the index alone.
create index concurrently deals_listed_with_amount on deals (partner_id, created_at desc, id desc) include (stage, amount)
  where archived_at is null;
drop index concurrently if exists deals_listed;
drop index concurrently if exists deals_scanned;
drop index concurrently if exists leads_scanned;
