-- Names the newest link of an invitation. A mail that is sent again has the same link, and is not sent once a newer link
-- was asked for. Null for an invitation whose link an older version has asked for.
alter table invitations add column link_id uuid;
