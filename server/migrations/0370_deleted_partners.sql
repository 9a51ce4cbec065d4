alter table sweep_cursors drop constraint sweep_cursors_list_check,
  add constraint sweep_cursors_list_check
    check (list in ('leads', 'deals', 'deleted-leads', 'deleted-deals', 'deleted-partners', 'notes', 'tasks-partner', 'tasks-all', 'partners', 'invited', 'attachments'));
