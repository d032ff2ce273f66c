-- The next queue with dead letters. A reader's snapshot.
SELECT queue FROM jobs_dead WHERE queue > ?1 ORDER BY queue LIMIT 1;
