-- The first lane of the next priority within a state and queue, and its first row: one seek. Under
-- the writer's lock.
SELECT priority, lane, visible_at, id FROM jobs_job
WHERE visible_at IS NOT NULL AND state = ?1 AND queue = ?2 AND priority > ?3
ORDER BY priority, lane, visible_at, id LIMIT 1;
