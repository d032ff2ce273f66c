-- The job that owns a run, live before ended. A reader's snapshot.
SELECT id FROM jobs_job WHERE run_id = ?1
UNION ALL SELECT id FROM jobs_ended WHERE run_id = ?1
UNION ALL SELECT id FROM jobs_dead WHERE run_id = ?1
LIMIT 1;
