-- The text in which people search (D142), folded by the portal, and its trigrams as numbers. Null in rows that a version
-- before 0.3.0 has written: there, a search reads search_text until the job fill-search has filled them in.
alter table leads add column search_fold text, add column search_keys integer[];
alter table deals add column search_fold text, add column search_keys integer[];

-- A version that does not know the columns changes a row without them, which makes them stale.
create function forget_search_fold() returns trigger language plpgsql as $$
begin
  new.search_fold := null;
  new.search_keys := null;
  return new;
end
$$;
create trigger leads_search_forgotten before update on leads for each row
  when (new.search_fold is not null and new.search_fold = old.search_fold
    and (old.partner_id, old.phone, old.business_name, old.first_name, old.last_name, old.email, old.loan_type, old.business_industry)
      is distinct from
        (new.partner_id, new.phone, new.business_name, new.first_name, new.last_name, new.email, new.loan_type, new.business_industry))
  execute function forget_search_fold();
create trigger deals_search_forgotten before update on deals for each row
  when (new.search_fold is not null and new.search_fold = old.search_fold
    and (old.partner_id, old.lead_loid, old.phone, old.deal_name, old.business_name, old.contact_name, old.email, old.loan_type)
      is distinct from
        (new.partner_id, new.lead_loid, new.phone, new.deal_name, new.business_name, new.contact_name, new.email, new.loan_type))
  execute function forget_search_fold();

-- A link that has confirmed an address says so when it is opened again (D150). A former version takes it for unknown.
alter table account_tokens drop constraint account_tokens_purpose_check;
alter table account_tokens add constraint account_tokens_purpose_check
  check (purpose in ('reset-password', 'verify-email', 'verified-email', 'second-factor'));
