-- A lead that a deal has replaced by matching has become that deal, just as a converted one has (D49). `matched_at` tells the two
-- apart: a match ends when the deal goes, a conversion does not.
alter table leads
  add column matched_at timestamptz(3),
  -- Whether a sync has counted the match in its answer.
  add column match_told boolean not null default false;
-- The LOID of the lead that the deal has replaced: it finds the deal, too.
alter table deals add column lead_loid text;

drop index leads_matched;
update leads
   set converted_at = greatest(leads.created_at, deals.created_at), matched_at = leads.archived_at, match_told = true,
       archived_at = null, archived_reason = null
  from deals
 where leads.archived_reason = 'matches-deal' and deals.loid = leads.deal_loid and deals.partner_id = leads.partner_id
   and deals.archived_at is null;
update leads set archived_at = null, archived_reason = null, deal_loid = null where archived_reason = 'matches-deal';
update deals set lead_loid = leads.loid from leads where leads.matched_at is not null and leads.deal_loid = deals.loid;
alter table leads
  drop constraint leads_archived_reason_check,
  add constraint leads_archived_reason_check check (archived_reason in ('left-crm'));
create index leads_match_untold on leads (partner_id) where matched_at is not null and not match_told;
create unique index deals_by_lead on deals (lead_loid) where lead_loid is not null;

update events
   set type = 'lead.converted', data = (events.data - 'reason') || jsonb_build_object('deal_loid', leads.deal_loid)
  from leads
 where events.type = 'lead.removed' and events.data ->> 'reason' = 'matches-deal' and leads.loid = events.loid;
update events
   set data = events.data || jsonb_build_object('deal_loid', leads.deal_loid)
  from leads
 where events.type = 'lead.converted' and leads.loid = events.loid;

alter table deals drop column search_text;
alter table deals add column search_text text not null generated always as (
  for_index(
    lower(
      translate(
        loid || ' ' || replace(loid, '-', '') || ' ' ||
        coalesce(lead_loid || ' ' || replace(lead_loid, '-', '') || ' ', '') ||
        regexp_replace(coalesce(phone, ''), '\D', '', 'g') || ' ' ||
        coalesce(deal_name, '') || ' ' || coalesce(business_name, '') || ' ' || coalesce(contact_name, '') || ' ' || coalesce(email, ''),
        E'\n', ' '
      ) || E'\n' || coalesce(loan_type, '')
    )
  )
) stored;
create index deals_scanned on deals (partner_id, created_at desc, id desc) include (stage, amount, search_text)
  where archived_at is null;
create index deals_found on deals using gin (partner_id, search_keys(partner_id, show_trgm(search_text)))
  with (gin_pending_list_limit = 256) where archived_at is null;
