-- concurrently: each statement runs on its own, outside a transaction, and runs again after a process was killed in it.
create index concurrently deals_with_payment on deals (partner_id, commission_paid_on desc nulls first, id desc)
  where archived_at is null
    and num_nonnulls(partner_commission, commission_status, commission_paid_on, commission_note) > 0;
