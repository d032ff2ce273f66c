-- The children that a run waits for and of which nothing is pinned. In the transaction that revived
-- the run.
SELECT DISTINCT s.child FROM jobs_step s
WHERE s.job = ?1 AND s.child IS NOT NULL AND s.position IS NULL
  AND NOT EXISTS (SELECT 1 FROM jobs_inbox i WHERE i.job = ?1 AND i.child = s.child);
