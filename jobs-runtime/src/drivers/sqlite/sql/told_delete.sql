-- The end of a child is not told any more: the record that waited for it goes, and no other record
-- of the run waits for the same job. Before the record goes, under the same writer's lock.
DELETE FROM jobs_told
WHERE parent = ?1
  AND child = (SELECT child FROM jobs_step WHERE job = ?1 AND name = ?2 AND position IS NULL)
  AND NOT EXISTS (
    SELECT 1 FROM jobs_step s
    WHERE s.job = ?1 AND s.child = jobs_told.child AND s.name <> ?2 AND s.position IS NULL);
