-- Gives a job that has not begun another expiry, and says that the row has changed. Writer's lock.
UPDATE jobs_job SET expires_at = ?2, revision = revision + 1 WHERE id = ?1;
