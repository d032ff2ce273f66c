-- Rows of one lane that are visible, counted up to a bound. A reader's snapshot.
SELECT count(*) FROM (
  SELECT 1 FROM jobs_job
  WHERE visible_at IS NOT NULL AND state = 'pending' AND queue = ?1 AND priority = ?2
    AND visible_at <= ?3
  LIMIT ?4);
