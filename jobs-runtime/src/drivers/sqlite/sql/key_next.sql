-- The job that follows the holder of a key. Writer's lock.
SELECT next, next_run, next_from FROM jobs_key WHERE scope = ?1 AND key = ?2 AND job = ?3;
