-- Live leases of a tenant in a queue. Under the lock of the claims.
SELECT count(*) FROM jobs.job
WHERE state = 'running' AND tenant IS NOT NULL AND queue = $1 AND tenant = $2 AND visible_at > $3;
