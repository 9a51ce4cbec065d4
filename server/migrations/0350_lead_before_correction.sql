-- The status and the typed columns of the lead when its correction was first sent, so that the correction itself is not taken for the
-- lender's edit if a pull brings it first.
alter table lead_changes add column lead_before jsonb;
