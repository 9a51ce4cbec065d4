-- What the lender still asks: the organisation's tasks that are meant for partners (D105). A task belongs to a CRM record, and so to the
-- partner of that record, who may change.
create table requests (
  id uuid primary key,
  zoho_id text not null unique,
  record_zoho_id text not null,
  subject text not null,
  -- Whether the task's subject begins with 'Partner:', which the subject here leaves out.
  is_named boolean not null,
  reason text,
  due_on date,
  -- The task's status as it was last read.
  status text,
  state text not null check (state in ('asked', 'sent', 'accepted', 'again', 'withdrawn')),
  asked_at timestamptz(3) not null,
  crm_modified_time timestamptz(3) not null,
  -- By the CRM's clock, which is compared with the task's time.
  answered_at timestamptz(3)
);
create index requests_of_record on requests (record_zoho_id);
create index requests_open on requests (zoho_id) where state not in ('accepted', 'withdrawn');

alter table sweep_cursors drop constraint sweep_cursors_list_check,
  add constraint sweep_cursors_list_check
    check (list in ('leads', 'deals', 'deleted-leads', 'deleted-deals', 'notes', 'tasks-partner', 'tasks-all'));
