-- The shortest visibility timeout that a job with a live lease asked for itself. Under the write
-- lock, so no lease is taken or given up meanwhile; as many rows as jobs run.
SELECT min(j.visibility_timeout) FROM jobs_job j
WHERE j.state = 'running' AND j.visible_at > ?1;
