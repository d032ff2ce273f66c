-- As lock_keys, for the keys of live jobs that may end: before their rows are locked, as an enqueue
-- does it. A job's key never changes, so it may be read without a lock.
SELECT pg_advisory_xact_lock(place) FROM (
  SELECT DISTINCT hashtextextended('jobs.key/' || j.scope || '/' || j.key, 0) AS place
  FROM jobs.job j WHERE j.id = ANY ($1::uuid[]) AND j.key IS NOT NULL
  ORDER BY 1 OFFSET 0) AS places;
