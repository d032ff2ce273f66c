-- A commit that moves the job within live storage; decided on under the same writer's lock.
UPDATE jobs_job
SET state = ?2, revision = ?3, attempt = ?4, attempts_max = ?5, lease_losses = ?6, epoch = ?7,
    nonce = ?8, visible_at = ?9, nudge = ?10, next_position = ?11, commit_epoch = ?12,
    commit_nonce = ?13, commit_number = ?14, cancel_requested = ?15, started_at = ?16,
    last_change = ?17
WHERE id = ?1;
