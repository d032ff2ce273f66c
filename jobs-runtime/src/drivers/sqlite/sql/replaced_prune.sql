-- Forgets enqueues that nobody sends again, a bounded number at a time. Writer's lock.
DELETE FROM jobs_replaced WHERE id IN (
  SELECT id FROM jobs_replaced WHERE until <= ?1 ORDER BY until LIMIT ?2);
