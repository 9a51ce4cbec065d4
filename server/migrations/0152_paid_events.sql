-- No endpoint is told of a payment (D111).
create or replace function mark_event_to_deliver() returns trigger language plpgsql as $$
begin
  new.to_deliver := new.type <> 'deal.paid' and exists (
    select from webhook_endpoints where partner_id = new.partner_id and disabled_at is null
  );
  if new.to_deliver then
    perform pg_notify('events_to_deliver', '');
  end if;
  return new;
end
$$;

alter table mail_news drop constraint mail_news_kind_check,
  add constraint mail_news_kind_check
    check (kind in ('lead-status', 'deal-stage', 'outcome', 'lender-note', 'crm', 'webhook', 'payment'));
