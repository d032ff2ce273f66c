-- Says to which chain the run belongs that goes on. Same transaction as the end of the run before.
UPDATE jobs_spec SET chain = ?2, chain_since = ?3 WHERE job = ?1;
