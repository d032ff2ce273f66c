-- The next queue with rows that wait for ever. A reader's snapshot.
SELECT queue FROM jobs_job WHERE visible_at IS NULL AND queue > ?1 ORDER BY queue LIMIT 1;
