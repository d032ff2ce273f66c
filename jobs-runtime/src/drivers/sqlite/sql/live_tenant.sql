-- Live leases of a tenant in a queue, counted no further than its limit. Under the writer's lock,
-- which no other claim holds meanwhile.
SELECT count(*) FROM (
  SELECT 1 FROM jobs_job
  WHERE state = 'running' AND tenant IS NOT NULL AND queue = ?1 AND tenant = ?2
    AND visible_at > ?3 LIMIT ?4);
