-- concurrently: each statement runs on its own, outside a transaction, and runs again after a process was killed in it.
-- Erased leads are looked up by LOID, which has an index.
drop index concurrently if exists leads_erased;
