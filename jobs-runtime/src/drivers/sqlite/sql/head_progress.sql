-- A commit that leaves the job running: touches no indexed column, so no index is rewritten.
-- The row was decided on under the same writer's lock.
UPDATE jobs_job
SET revision = ?2, next_position = ?3, commit_epoch = ?4, commit_nonce = ?5, commit_number = ?6
WHERE id = ?1;
