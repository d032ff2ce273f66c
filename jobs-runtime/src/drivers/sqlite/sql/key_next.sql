-- The job that follows the holder of a key, and for how long it keeps the key. Writer's lock.
SELECT next, next_run, next_from, span FROM jobs_key WHERE scope = ?1 AND key = ?2 AND job = ?3;
