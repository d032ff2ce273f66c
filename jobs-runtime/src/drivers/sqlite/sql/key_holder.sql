-- Who holds a key, and whether that job is live. Under the writer's lock, so that of two racing
-- enqueues the second finds the first.
SELECT k.job, k.run_id, k.next, k.next_run, k.next_from, k.until,
  EXISTS (SELECT 1 FROM jobs_job j WHERE j.id = k.job)
FROM jobs_key k WHERE k.scope = ?1 AND k.key = ?2;
