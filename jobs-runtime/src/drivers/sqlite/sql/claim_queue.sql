-- The next queue with rows of a state: one seek for each queue instead of a scan.
-- Under the writer's lock, so what is found is still there when it is leased.
SELECT queue FROM jobs_job
WHERE visible_at IS NOT NULL AND state = ?1 AND queue > ?2
ORDER BY queue LIMIT 1;
