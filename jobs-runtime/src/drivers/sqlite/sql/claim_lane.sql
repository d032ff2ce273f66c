-- The next lane within a state, queue and priority, by its text, and its first row: one seek each.
-- Not as a pair with the priority: SQLite would walk over all rows of the lane that it begins at.
-- Under the writer's lock.
SELECT priority, lane, visible_at, id FROM jobs_job
WHERE visible_at IS NOT NULL AND state = ?1 AND queue = ?2 AND priority = ?3 AND lane > ?4
ORDER BY lane, visible_at, id LIMIT 1;
