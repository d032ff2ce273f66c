-- Each live job has its input beside it. A reader's snapshot.
SELECT lower(hex(id)) FROM jobs_job
WHERE ?1 IS NOT NULL AND NOT EXISTS (SELECT 1 FROM jobs_spec WHERE job = id) LIMIT ?2;
