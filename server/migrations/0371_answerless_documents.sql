create index documents_answerless on documents (loid) where zoho_id is null and sent_name is not null;
