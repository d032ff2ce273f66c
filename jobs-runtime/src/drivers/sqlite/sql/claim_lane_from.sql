-- As claim_lane, with the given lane itself: where the turns of a queue begin. Under the writer's
-- lock.
SELECT priority, lane, visible_at, id FROM jobs_job
WHERE visible_at IS NOT NULL AND state = ?1 AND queue = ?2 AND priority = ?3 AND lane >= ?4
ORDER BY lane, visible_at, id LIMIT 1;
