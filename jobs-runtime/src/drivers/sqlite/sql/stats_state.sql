-- Rows of a state with an instant, counted up to a bound. A reader's snapshot.
SELECT count(*) FROM (
  SELECT 1 FROM jobs_job WHERE visible_at IS NOT NULL AND state = ?1 AND queue = ?2 LIMIT ?3);
