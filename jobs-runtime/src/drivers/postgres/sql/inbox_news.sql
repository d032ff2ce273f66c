-- What was pinned to jobs and no record has consumed. Under the locks of their rows.
SELECT i.job, i.seq, i.content FROM jobs.inbox i
WHERE i.job = ANY ($1::uuid[])
  AND NOT EXISTS (SELECT 1 FROM jobs.step s WHERE s.job = i.job AND s.event = i.event)
  AND (
    NOT EXISTS (
      SELECT 1 FROM jobs.step s
      WHERE s.job = i.job AND s.child = i.child AND s.position IS NOT NULL)
    OR EXISTS (
      SELECT 1 FROM jobs.step s
      WHERE s.job = i.job AND s.child = i.child AND s.position IS NULL))
ORDER BY i.job, i.seq;
