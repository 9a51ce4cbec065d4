-- A person's right to see what the lender pays (D111). Owners always have it, so their rows say false.
alter table people add column sees_money boolean not null default false;
create trigger tell_of_right after update of sees_money on people for each row
  when (old.sees_money is distinct from new.sees_money) execute function tell_of_row('team.changed');
