-- A key belongs to a live job, unless it is kept until an instant. A reader's snapshot.
SELECT scope || ' ' || key FROM jobs_key
WHERE ?1 IS NOT NULL AND until IS NULL
  AND NOT EXISTS (SELECT 1 FROM jobs_job WHERE id = jobs_key.job) LIMIT ?2;
