-- Open pages follow a confirmed email address at once.
create trigger tell_of_confirmed_email after update of email_verified on people for each row
  when (old.email_verified is distinct from new.email_verified) execute function tell_of_row('team.changed');
