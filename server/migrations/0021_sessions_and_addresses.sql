-- From where and with what each session began, and when it was last seen, to the minute (D65). Unknown of those from before.
alter table sessions
  add column ip text,
  add column browser text,
  add column last_seen_at timestamptz(3);

-- Changes of email addresses (D67): asked for, done by the link of a mail to the new address, undone by that of one to the old.
create table email_changes (
  id uuid primary key,
  person_id uuid not null references people on delete cascade,
  old_email text not null,
  new_email text not null,
  asked_at timestamptz(3) not null,
  -- SHA-256 of a link's token, which is made as the link is mailed.
  confirm_hash bytea unique,
  confirm_until timestamptz(3) not null,
  done_at timestamptz(3),
  undo_hash bytea unique,
  -- As long nobody else may take the old address. Null where the person never confirmed it.
  undo_until timestamptz(3)
);
create unique index email_change_that_waits on email_changes (person_id) where done_at is null;
create index email_changes_of_person on email_changes (person_id, done_at);
create index email_changes_by_old_email on email_changes (old_email) where undo_until is not null;
