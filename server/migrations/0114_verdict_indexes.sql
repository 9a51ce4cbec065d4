-- concurrently: each statement runs on its own, outside a transaction, and runs again after a process was killed in it.
create index concurrently leads_by_verdict on leads (partner_id, partner_verdict, created_at desc, id desc)
  where partner_verdict is not null and converted_at is null and archived_at is null;
create index concurrently leads_protected on leads (partner_id, protected_until)
  where protected_until is not null and converted_at is null and archived_at is null;
