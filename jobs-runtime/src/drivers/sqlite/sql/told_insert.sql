-- Notes who shall hear of the end of a job, if that job is live. Same transaction as the enqueue or
-- join; writer's lock.
INSERT INTO jobs_told (child, parent)
SELECT ?1, ?2 WHERE EXISTS (SELECT 1 FROM jobs_job WHERE id = ?1)
ON CONFLICT DO NOTHING;
