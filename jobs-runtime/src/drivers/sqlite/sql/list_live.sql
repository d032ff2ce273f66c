-- A page, newest id first. A line that ends in "if" and a word belongs to that part of the filter.
SELECT
  j.id, j.run_id, j.name, j.scope, j.queue, j.key, j.priority, j.tenant, j.visibility_timeout,
  j.expires_at, j.limit_key, j.rate_key,
  j.state, j.revision, j.attempt, j.attempts_max, j.lease_losses, j.epoch, j.nonce, j.visible_at,
  j.nudge, j.next_position, j.commit_epoch, j.commit_nonce, j.commit_number, j.cancel_requested,
  j.enqueued_at, j.started_at, j.last_change, j.worker,
  s.parent_job, s.parent_run, s.parent_step, s.tick_schedule, s.tick_at, s.trace_context,
  s.labels, s.version, s.fork_of, s.continued_from, s.codec, s.input, s.on_cancel, s.chain,
  s.chain_since,
  n.notes
FROM jobs_job j JOIN jobs_spec s ON s.job = j.id LEFT JOIN jobs_note n ON n.job = j.id
WHERE j.id < ?1
  AND j.queue = ?2 -- if queue
  AND j.name = ?3 -- if name
  AND j.state = ?4 -- if state
  AND j.tenant = ?5 -- if tenant
  AND j.key = ?6 -- if key
ORDER BY j.id DESC LIMIT ?7;
