-- Live leases of a queue, counted no further than its limit. Under the writer's lock, which no
-- other claim holds meanwhile.
SELECT count(*) FROM (
  SELECT 1 FROM jobs_job
  WHERE visible_at IS NOT NULL AND state = 'running' AND queue = ?1 AND visible_at > ?2 LIMIT ?3);
