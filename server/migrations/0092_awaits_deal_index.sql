-- concurrently: each statement runs on its own, outside a transaction, and runs again after a process was killed in it.
create index concurrently leads_awaiting_deal on leads (partner_id, awaits_deal_since desc)
  where awaits_deal_since is not null and converted_at is null and archived_at is null;
