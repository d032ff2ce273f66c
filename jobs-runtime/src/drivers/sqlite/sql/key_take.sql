-- Takes a key that the writer's lock has shown to be free, or to be the job's own already.
INSERT INTO jobs_key (scope, key, job, run_id, until, span) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
ON CONFLICT (scope, key) DO UPDATE
SET job = excluded.job, run_id = excluded.run_id,
    span = CASE WHEN jobs_key.job = excluded.job THEN jobs_key.span ELSE excluded.span END,
    until = CASE WHEN jobs_key.job = excluded.job THEN jobs_key.until ELSE excluded.until END;
