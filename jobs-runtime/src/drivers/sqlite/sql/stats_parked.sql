-- Rows that wait for ever, counted up to a bound. A reader's snapshot.
SELECT count(*) FROM (
  SELECT 1 FROM jobs_job WHERE visible_at IS NULL AND queue = ?1 LIMIT ?2);
