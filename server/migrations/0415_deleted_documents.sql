-- When the portal saw that the lender had deleted a file of the partner's own. The partner may then send it again.
alter table documents add column deleted_at timestamptz(3);
-- Two documents of a record can now have the same content: a deleted file can come back after it was sent again, and two merged
-- leads can have the same file. No upload makes a second one, because the uploads of a partner begin one after the other.
drop index documents_same;
