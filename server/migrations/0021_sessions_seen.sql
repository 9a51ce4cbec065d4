-- From where and with what each session began, and when it was last seen, to the minute (D65). Unknown of those from before.
alter table sessions
  add column ip text,
  add column browser text,
  add column last_seen_at timestamptz(3);
