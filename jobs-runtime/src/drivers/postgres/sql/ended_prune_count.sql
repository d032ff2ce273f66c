-- Ended jobs of a name and state beyond those that ended last.
DELETE FROM jobs.ended WHERE id IN (
  SELECT id FROM jobs.ended WHERE name = $1 AND state = $2
  ORDER BY ended_at DESC, id DESC LIMIT $4 OFFSET $3);
