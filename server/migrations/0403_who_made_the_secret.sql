-- Who made the webhook's present signing secret, so that the owners know what a person who leaves may still have.
alter table webhook_endpoints add column secret_made_by uuid references people on delete set null;

update webhook_endpoints
   set secret_made_by = people.id
  from people
 where people.id = coalesce(
   (select person_id from security_log
     where security_log.partner_id = webhook_endpoints.partner_id and kind = 'webhook' and event = 'webhook-secret-made'
       and at >= webhook_endpoints.created_at
     order by security_log.id desc
     limit 1),
   (select person_id from security_log
     where security_log.partner_id = webhook_endpoints.partner_id and kind = 'webhook' and event = 'webhook-url-changed'
       and at >= webhook_endpoints.created_at - interval '1 minute'
     order by security_log.id
     limit 1));
