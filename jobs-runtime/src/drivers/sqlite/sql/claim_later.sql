-- When the first row of a lane becomes visible that is not so yet. Under the writer's lock.
SELECT visible_at FROM jobs_job
WHERE visible_at IS NOT NULL AND state = ?1 AND queue = ?2 AND priority = ?3 AND lane = ?4
  AND visible_at > ?5
ORDER BY visible_at LIMIT 1;
