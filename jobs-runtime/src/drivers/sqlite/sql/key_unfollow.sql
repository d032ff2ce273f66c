-- A job that followed has ended before its turn. Writer's lock.
UPDATE jobs_key SET next = NULL, next_run = NULL, next_from = NULL
WHERE scope = ?1 AND key = ?2 AND next = ?3;
