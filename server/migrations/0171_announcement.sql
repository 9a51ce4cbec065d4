-- Which announcement of the lender the person has put away (D114).
alter table people add column put_away_announcement text;
