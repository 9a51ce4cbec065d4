-- What each person is told by mail, and when (D73). A kind without a choice, and a person without a row, has the default.
create table notification_settings (
  person_id uuid primary key references people on delete cascade,
  choices jsonb not null,
  -- An IANA name; null is PORTAL_TIMEZONE.
  time_zone text
);

-- A link in a mail that can do one thing: end these kinds of mails for this person.
create table unsubscribe_tokens (
  token_hash bytea primary key,
  person_id uuid not null references people on delete cascade,
  kinds text[] not null,
  created_at timestamptz(3) not null
);
create index unsubscribe_tokens_of_person on unsubscribe_tokens (person_id);
create index unsubscribe_tokens_by_age on unsubscribe_tokens (created_at);

-- What a partner's people are told by mail. Written with the change itself; becomes a row for each of its people soon after.
create table mail_news (
  id uuid primary key,
  partner_id uuid not null references partners on delete cascade,
  kind text not null check (kind in ('lead-status', 'deal-stage', 'outcome', 'lender-note', 'crm', 'webhook')),
  type text not null,
  -- Null of what is about no record.
  loid text,
  data jsonb not null,
  -- The person who did it, who is not told.
  person_id uuid,
  created_at timestamptz(3) not null,
  to_fan_out boolean not null default true
);
create index mail_news_to_fan_out on mail_news (created_at, id) where to_fan_out;
create index mail_news_by_age on mail_news (created_at);
create index mail_news_of_partner on mail_news (partner_id);

-- A mail on its way. Its id is its Message-ID; the row goes when the mail was accepted.
create table mails (
  id uuid primary key,
  partner_id uuid not null references partners on delete cascade,
  person_id uuid not null references people on delete cascade,
  is_digest boolean not null,
  created_at timestamptz(3) not null,
  -- Why the last attempt failed.
  problem text,
  given_up_at timestamptz(3)
);
create index mails_of_person on mails (person_id);
create index mails_of_partner on mails (partner_id);
create index mails_by_age on mails (created_at);

-- What a person is still to be told. It waits for its time, and from then on belongs to a mail.
create table mail_news_for_people (
  person_id uuid not null references people on delete cascade,
  news_id uuid not null references mail_news on delete cascade,
  due_at timestamptz(3) not null,
  mail_id uuid references mails on delete cascade,
  primary key (person_id, news_id)
);
create index mail_news_due on mail_news_for_people (due_at) where mail_id is null;
create index mail_news_for_people_by_news on mail_news_for_people (news_id);
create index mail_news_of_mail on mail_news_for_people (mail_id) where mail_id is not null;
