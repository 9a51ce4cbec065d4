-- Whether the CRM showed the record, naming no partner, when it was held (D123). Any other hold ends when the CRM shows the record.
alter table hidden_records add column is_shown boolean not null default false;
