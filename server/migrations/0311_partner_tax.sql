-- The business's ABN and GST registration (D113), as the person typed them or the CRM's record says. Null where nobody has said.
alter table partners
  add column abn text,
  add column gst_registered text check (gst_registered in ('Yes', 'No'));

create trigger tell_of_partner_tax after update of abn, gst_registered on partners for each row
  when ((old.abn, old.gst_registered) is distinct from (new.abn, new.gst_registered)) execute function tell_of_partner('partner.changed');
