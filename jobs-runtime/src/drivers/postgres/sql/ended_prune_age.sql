-- Ended jobs of a name and state that are too old.
DELETE FROM jobs.ended WHERE id IN (
  SELECT id FROM jobs.ended WHERE name = $1 AND state = $2 AND ended_at < $3
  ORDER BY ended_at LIMIT $4);
