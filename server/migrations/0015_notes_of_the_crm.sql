-- Staff's words go with the record to another partner; a partner's own stay. Which of the notes until now were staff's, nobody can tell.
alter table notes add column is_from_crm boolean not null default false;
