-- Rows of one lane that are not visible yet, counted up to a bound. A reader's snapshot.
SELECT count(*) FROM (
  SELECT 1 FROM jobs_job
  WHERE visible_at IS NOT NULL AND state = 'pending' AND queue = ?1 AND priority = ?2 AND lane = ?3
    AND visible_at > ?4 LIMIT ?5);
