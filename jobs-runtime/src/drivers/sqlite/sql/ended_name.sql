-- The next name of ended jobs: one seek for each name instead of a scan. Writer's lock.
SELECT name FROM jobs_ended WHERE name > ?1 ORDER BY name LIMIT 1;
