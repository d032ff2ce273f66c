-- Leases a row that was loaded and decided under the same writer's lock.
UPDATE jobs_job
SET state = ?2, revision = ?3, attempt = ?4, lease_losses = ?5, epoch = ?6, nonce = ?7,
    visible_at = ?8, started_at = ?9, worker = ?10
WHERE id = ?1;
