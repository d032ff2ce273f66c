-- Live leases of a limit key, counted no further than its limit. Under the writer's lock, which no
-- other claim holds meanwhile.
SELECT count(*) FROM (
  SELECT 1 FROM jobs_job
  WHERE state = 'running' AND limit_key IS NOT NULL AND scope = ?1 AND limit_key = ?2
    AND visible_at > ?3 LIMIT ?4);
