-- A search reads a partner's newest 1,000 rows and looks further back by search_keys. So only a partner with about as many
-- leads or deals needs keys, and writing their index took half the time of an insert. The job `key-large-partners` adds partners.
create table keyed_partners (partner_id uuid primary key references partners on delete cascade);
insert into keyed_partners
select distinct partner_id from record_counts where not is_converted group by partner_id, kind having sum(records) > 900;

create function drop_unneeded_search_keys() returns trigger language plpgsql as $$
begin
  if not exists (select from keyed_partners where partner_id = new.partner_id) then
    new.search_keys := null;
  end if;
  return new;
end
$$;
create trigger leads_keyed before insert or update of search_keys on leads for each row
  when (new.search_keys is not null) execute function drop_unneeded_search_keys();
create trigger deals_keyed before insert or update of search_keys on deals for each row
  when (new.search_keys is not null) execute function drop_unneeded_search_keys();
