-- Ended rows and dead letters, without what belonged to them: in one statement, because a new job is
-- looked for in both. Who changes one deletes it first, and the delete finds out who came second.
SELECT id, run_id, name, scope, queue, key, priority, tenant, limit_key, rate_key, parent_job, chain, chain_since,
  visibility_timeout, expires_at,
  state, revision, attempt, attempts_max, lease_losses, epoch, nonce, visible_at, nudge,
  next_position, commit_epoch, commit_nonce, commit_number, cancel_requested, enqueued_at,
  started_at, last_change, worker, notes, ended_at
FROM jobs.ended WHERE id = ANY ($1::uuid[])
UNION ALL
SELECT id, run_id, name, scope, queue, key, priority, tenant, limit_key, rate_key, parent_job, chain, chain_since,
  visibility_timeout, expires_at,
  state, revision, attempt, attempts_max, lease_losses, epoch, nonce, visible_at, nudge,
  next_position, commit_epoch, commit_nonce, commit_number, cancel_requested, enqueued_at,
  started_at, last_change, worker, notes, ended_at
FROM jobs.dead WHERE id = ANY ($1::uuid[]);
