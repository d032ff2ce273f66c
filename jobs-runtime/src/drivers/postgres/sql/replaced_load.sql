-- The jobs that enqueues of these ids have given their input to.
SELECT id, job, run_id, until FROM jobs.replaced WHERE id = ANY ($1::uuid[]);
