-- The visible rows of one lane after a given one, in the order of the claim. Under the writer's
-- lock: two claimers never see the same row as free.
SELECT visible_at, id FROM jobs_job
WHERE visible_at IS NOT NULL AND state = ?1 AND queue = ?2 AND priority = ?3 AND lane = ?4
  AND visible_at <= ?5 AND (visible_at, id) > (?6, ?7)
ORDER BY visible_at, id LIMIT ?8;
