-- What was pinned to a run and no record has consumed. Several records may wait for one child, so
-- its end is news while one of them is pending.
SELECT seq, content FROM jobs_inbox i
WHERE job = ?1
  AND NOT EXISTS (SELECT 1 FROM jobs_step s WHERE s.job = ?1 AND s.event = i.event)
  AND (
    NOT EXISTS (
      SELECT 1 FROM jobs_step s
      WHERE s.job = ?1 AND s.child = i.child AND s.position IS NOT NULL)
    OR EXISTS (
      SELECT 1 FROM jobs_step s
      WHERE s.job = ?1 AND s.child = i.child AND s.position IS NULL))
ORDER BY seq;
