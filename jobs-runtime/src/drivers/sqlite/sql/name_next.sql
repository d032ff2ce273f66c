-- The next name of a live job: one seek for each name instead of a scan. A reader's snapshot.
SELECT name FROM jobs_job WHERE name > ?1 ORDER BY name LIMIT 1;
