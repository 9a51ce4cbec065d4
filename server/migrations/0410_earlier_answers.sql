-- The time of the answer before the present one. If the file that is the present answer is taken back, the request still counts as
-- asked again, because somebody answered it earlier.
alter table requests add column answered_before timestamptz(3);
