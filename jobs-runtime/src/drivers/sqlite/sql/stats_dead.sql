-- Dead letters of a queue, counted up to a bound. A reader's snapshot.
SELECT count(*) FROM (SELECT 1 FROM jobs_dead WHERE queue = ?1 LIMIT ?2);
