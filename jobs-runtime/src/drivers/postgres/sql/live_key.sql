-- Live leases of a limit key. Under the lock of the claims.
SELECT count(*) FROM jobs.job
WHERE state = 'running' AND limit_key IS NOT NULL AND scope = $1 AND limit_key = $2
  AND visible_at > $3;
