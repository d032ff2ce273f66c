-- Gives a job that has not begun another expiry, and perhaps another instant, and says that the row
-- has changed. Writer's lock.
UPDATE jobs_job SET expires_at = ?2, visible_at = coalesce(?3, visible_at), revision = revision + 1
WHERE id = ?1;
