-- concurrently: each statement runs on its own, outside a transaction, and runs again after a process was killed in it.
create index concurrently deals_by_day_of_payment on deals (commission_paid_on)
  where archived_at is null and commission_paid_on is not null;
