-- The row of a new or revived job. The writer's lock has made sure that nobody has its id or key.
INSERT INTO jobs_job (
  id, run_id, name, scope, queue, key, priority, tenant, visibility_timeout, expires_at, limit_key,
  rate_key, state, revision, attempt, attempts_max, lease_losses, epoch, nonce, visible_at, nudge,
  next_position, commit_epoch, commit_nonce, commit_number, cancel_requested, enqueued_at,
  started_at, last_change, worker, lane)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20,
  ?21, ?22, ?23, ?24, ?25, ?26, ?27, ?28, ?29, ?30, ?31);
