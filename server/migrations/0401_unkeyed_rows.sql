-- concurrently: each statement runs on its own, outside a transaction, and runs again after a process was killed in it.
create index concurrently leads_unkeyed on leads (partner_id, id) where search_keys is null;
create index concurrently deals_unkeyed on deals (partner_id, id) where search_keys is null;
