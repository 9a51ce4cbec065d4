-- Who made the key and saved the webhook's URL, so that the owners know what a person who leaves may still have.
alter table api_keys add column made_by uuid references people on delete set null;
alter table webhook_endpoints add column made_by uuid references people on delete set null;

update api_keys
   set made_by = people.id
  from people
 where people.id = (
   select person_id from security_log
    where security_log.partner_id = api_keys.partner_id and kind = 'keys' and event = 'api-key-made'
    order by security_log.id desc
    limit 1);

update webhook_endpoints
   set made_by = people.id
  from people
 where people.id = (
   select person_id from security_log
    where security_log.partner_id = webhook_endpoints.partner_id and kind = 'webhook' and event = 'webhook-url-changed'
    order by security_log.id desc
    limit 1);

-- A reset ended the person's last second factor: the person signs in with a recovery code, and then sets up a new one.
alter table people add column must_recover boolean not null default false;
