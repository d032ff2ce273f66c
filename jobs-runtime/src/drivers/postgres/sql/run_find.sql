-- The job that owns a run, live before ended.
SELECT id FROM (
  SELECT 1 AS place, id FROM jobs.job WHERE run_id = $1
  UNION ALL SELECT 2, id FROM jobs.ended WHERE run_id = $1
  UNION ALL SELECT 3, id FROM jobs.dead WHERE run_id = $1) AS found
ORDER BY place LIMIT 1;
