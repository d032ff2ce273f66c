-- A page, newest id first. A line that ends in "if" and a word belongs to that part of the filter.
SELECT
  id, run_id, name, scope, queue, key, priority, tenant, limit_key, rate_key, parent_job, chain, chain_since,
  visibility_timeout, expires_at, state, revision, attempt, attempts_max, lease_losses, epoch,
  nonce, visible_at, nudge, next_position, commit_epoch, commit_nonce, commit_number,
  cancel_requested, enqueued_at, started_at, last_change, worker, notes, ended_at, codec, input,
  rest
FROM jobs.ended
WHERE ($1::uuid IS NULL OR id < $1)
  AND queue = $2 -- if queue
  AND name = $3 -- if name
  AND state = $4 -- if state
  AND tenant = $5 -- if tenant
  AND key = $6 -- if key
  AND ($2::text IS NULL OR true) AND ($3::text IS NULL OR true) AND ($4::text IS NULL OR true)
  AND ($5::text IS NULL OR true) AND ($6::text IS NULL OR true)
ORDER BY id DESC LIMIT $7;
