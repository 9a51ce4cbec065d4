-- When the lender first let the partner in, for partners that signed up under approval or invite (D116). Until then nothing of the
-- lender's is shown to them, and nothing of theirs is sent.
alter table partners add column opened_at timestamptz(3);
