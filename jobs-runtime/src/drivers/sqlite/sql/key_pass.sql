-- Gives the key to the job that follows. Writer's lock, which has shown that there is one.
UPDATE jobs_key SET job = next, run_id = next_run, next = NULL, next_run = NULL, next_from = NULL,
  until = CASE WHEN ?3 IS NULL OR until > ?3 THEN until ELSE ?3 END
WHERE scope = ?1 AND key = ?2;
