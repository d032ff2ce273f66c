-- Forgets keys that were kept beyond the end of their jobs, a bounded number at a time. A live
-- job's key stays, whatever its instant.
DELETE FROM jobs_key WHERE (scope, key) IN (
  SELECT scope, key FROM jobs_key k
  WHERE until <= ?1 AND NOT EXISTS (SELECT 1 FROM jobs_job j WHERE j.id = k.job)
  ORDER BY until LIMIT ?2);
