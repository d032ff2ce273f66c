-- Ended jobs that are too old, the oldest first.
DELETE FROM jobs.ended WHERE id IN (
  SELECT id FROM jobs.ended WHERE ended_at < $1 ORDER BY ended_at LIMIT $2);
