-- The next priority within a state and queue, and its earliest instant: one seek each.
-- Under the writer's lock.
SELECT priority, visible_at FROM jobs_job
WHERE visible_at IS NOT NULL AND state = ?1 AND queue = ?2 AND priority > ?3
ORDER BY priority, visible_at LIMIT 1;
