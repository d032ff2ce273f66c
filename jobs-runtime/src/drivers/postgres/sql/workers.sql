-- Workers and the leases they hold.
SELECT worker, count(*) FROM jobs.job
WHERE visible_at IS NOT NULL AND state = 'running' AND worker IS NOT NULL
GROUP BY worker ORDER BY worker LIMIT $1;
