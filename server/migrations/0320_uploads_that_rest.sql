-- How much of an upload has arrived, and when it was last continued: only what is there takes room (D100).
alter table documents
  add column arrived int not null default 0,
  add column continued_at timestamptz(3) not null default now();
update documents set arrived = size where state = 'uploading';
