-- Workers and the leases they hold, from the index of rows with an instant. A reader's snapshot.
SELECT worker, count(*) FROM jobs_job
WHERE visible_at IS NOT NULL AND state = 'running' AND worker IS NOT NULL
GROUP BY worker ORDER BY worker LIMIT ?1;
