-- A page, newest id first. A line that ends in "if" and a word belongs to that part of the filter.
SELECT
  j.id, j.run_id, j.name, j.scope, j.queue, j.key, j.priority, j.tenant, j.limit_key, j.rate_key,
  j.parent_job, j.chain, j.chain_since, j.visibility_timeout, j.expires_at, j.state, j.revision, j.attempt,
  j.attempts_max, j.lease_losses, j.epoch, j.nonce, j.visible_at, j.nudge, j.next_position,
  j.commit_epoch, j.commit_nonce, j.commit_number, j.cancel_requested, j.enqueued_at,
  j.started_at, j.last_change, j.worker, j.notes, s.codec, s.input, s.rest
FROM jobs.job j JOIN jobs.spec s ON s.job = j.id
WHERE ($1::uuid IS NULL OR j.id < $1)
  AND j.queue = $2 -- if queue
  AND j.name = $3 -- if name
  AND j.state = $4 -- if state
  AND j.tenant = $5 -- if tenant
  AND j.key = $6 -- if key
  AND ($2::text IS NULL OR true) AND ($3::text IS NULL OR true) AND ($4::text IS NULL OR true)
  AND ($5::text IS NULL OR true) AND ($6::text IS NULL OR true)
ORDER BY j.id DESC LIMIT $7;
