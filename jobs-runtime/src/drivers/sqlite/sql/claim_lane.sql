-- The next lane within a state and queue, by priority and text, and its first row: one seek each.
-- Under the writer's lock.
SELECT priority, lane, visible_at, id FROM jobs_job
WHERE visible_at IS NOT NULL AND state = ?1 AND queue = ?2 AND (priority, lane) > (?3, ?4)
ORDER BY priority, lane, visible_at, id LIMIT 1;
