-- Ended jobs of a name and state beyond those that ended last;
-- none that ended at a time or after it.
DELETE FROM jobs.ended WHERE id IN (
  SELECT id FROM (
    SELECT id, ended_at FROM jobs.ended WHERE name = $1 AND state = $2
    ORDER BY ended_at DESC, id DESC OFFSET $3) AS surplus
  WHERE ended_at < $5 LIMIT $4);
