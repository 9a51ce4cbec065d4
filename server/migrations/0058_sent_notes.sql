-- When the push of a note was sent without an answer so far. The next push waits, because the CRM may still add the note.
alter table notes add column crm_sent_at timestamptz(3);
