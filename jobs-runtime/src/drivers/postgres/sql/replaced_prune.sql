-- Enqueues that nobody sends again.
DELETE FROM jobs.replaced WHERE id IN (
  SELECT id FROM jobs.replaced WHERE until <= $1 ORDER BY until LIMIT $2);
