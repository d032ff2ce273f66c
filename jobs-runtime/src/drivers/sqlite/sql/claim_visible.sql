-- The first visible rows of one lane, in the order of the claim. Under the writer's lock: two
-- claimers never see the same row as free.
SELECT visible_at, id FROM jobs_job
WHERE visible_at IS NOT NULL AND state = ?1 AND queue = ?2 AND priority = ?3 AND visible_at <= ?4
ORDER BY visible_at, id LIMIT ?5;
