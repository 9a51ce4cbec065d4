-- The person who did it: one's own acts are no news to oneself (D72). Null for what the lender or an API key did.
alter table events add column person_id uuid;
update events set person_id = leads.submitter_id
  from leads
 where events.type = 'lead.created' and leads.partner_id = events.partner_id and leads.loid = events.loid;
