-- Live leases of a queue. Under the lock of the claims.
SELECT count(*) FROM jobs.job
WHERE visible_at IS NOT NULL AND queue = $1 AND state = 'running' AND visible_at > $2;
