-- Keys whose time is over and whose holder has ended. Locked rows are in use.
DELETE FROM jobs.key WHERE (scope, key) IN (
  SELECT k.scope, k.key FROM jobs.key k
  WHERE k.until <= $1 AND NOT EXISTS (SELECT 1 FROM jobs.job j WHERE j.id = k.job)
  ORDER BY k.until LIMIT $2 FOR UPDATE SKIP LOCKED);
