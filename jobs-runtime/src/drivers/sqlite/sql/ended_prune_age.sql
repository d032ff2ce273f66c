-- Removes the oldest ended jobs of one name and state, a bounded number at a time, so that the
-- writer's lock is short.
DELETE FROM jobs_ended WHERE id IN (
  SELECT id FROM jobs_ended WHERE name = ?1 AND state = ?2 AND ended_at < ?3
  ORDER BY ended_at LIMIT ?4);
