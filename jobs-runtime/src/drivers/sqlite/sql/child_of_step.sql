-- The child that a step of a live run waits for. Writer's lock.
SELECT child FROM jobs_step WHERE job = ?1 AND name = ?2;
