-- A job of this id, wherever it stands: an enqueue that arrives twice is one job.
-- Runs under the writer's lock, so a job cannot move between the three tables meanwhile.
SELECT run_id FROM jobs_job WHERE id = ?1
UNION ALL SELECT run_id FROM jobs_ended WHERE id = ?1
UNION ALL SELECT run_id FROM jobs_dead WHERE id = ?1
LIMIT 1;
