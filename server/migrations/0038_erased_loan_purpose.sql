-- An erasure also empties the loan purpose, a free text that may name the applicant (D97). Erased records can no longer be found by
-- the applicant, so nobody could erase them again.
update leads set loan_purpose = null where erased_at is not null and loan_purpose is not null;
update deals set loan_purpose = null where erased_at is not null and loan_purpose is not null;
