-- Notes who shall hear of the end of a job, if that job is live. Same transaction as the enqueue or
-- join; writer's lock. Noted twice is noted once, and still counts as a row: none says that the job
-- is not live.
INSERT INTO jobs_told (child, parent)
SELECT ?1, ?2 WHERE EXISTS (SELECT 1 FROM jobs_job WHERE id = ?1)
ON CONFLICT DO UPDATE SET parent = excluded.parent;
