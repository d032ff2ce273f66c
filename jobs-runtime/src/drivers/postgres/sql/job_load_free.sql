-- Live rows that nobody else has locked: a heartbeat must not wait for a commit.
SELECT id, run_id, name, scope, queue, key, priority, tenant, limit_key, rate_key, parent_job, chain, chain_since,
  visibility_timeout, expires_at,
  state, revision, attempt, attempts_max, lease_losses, epoch, nonce, visible_at, nudge,
  next_position, commit_epoch, commit_nonce, commit_number, cancel_requested, enqueued_at,
  started_at, last_change, worker, notes
FROM jobs.job WHERE id = ANY ($1::uuid[]) ORDER BY id FOR UPDATE SKIP LOCKED;
