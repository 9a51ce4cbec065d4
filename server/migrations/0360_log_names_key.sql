-- The API key that made an inbound call, as records name it (D84). Null for a delivery, and for a call with a session.
alter table webhook_logs add column api_key text;
