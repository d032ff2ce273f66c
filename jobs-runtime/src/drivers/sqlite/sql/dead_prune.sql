-- Removes the oldest ended jobs, a bounded number at a time, so that the writer's lock is short.
DELETE FROM jobs_dead WHERE id IN (
  SELECT id FROM jobs_dead WHERE ended_at < ?1 ORDER BY ended_at LIMIT ?2);
