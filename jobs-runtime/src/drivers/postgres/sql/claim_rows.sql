-- The first visible rows of strips, locked; rows that somebody else has locked are theirs.
SELECT j.id, j.run_id, j.name, j.scope, j.queue, j.key, j.priority, j.tenant, j.limit_key,
  j.rate_key, j.parent_job, j.chain, j.chain_since, j.visibility_timeout, j.expires_at, j.state, j.revision, j.attempt,
  j.attempts_max, j.lease_losses, j.epoch, j.nonce, j.visible_at, j.nudge, j.next_position,
  j.commit_epoch, j.commit_nonce, j.commit_number, j.cancel_requested, j.enqueued_at,
  j.started_at, j.last_change, j.worker, j.notes
FROM unnest($1::text[], $2::smallint[], $3::text[], $4::text[]) AS s (queue, priority, lane, state)
CROSS JOIN LATERAL (
  SELECT * FROM jobs.job j
  WHERE j.visible_at IS NOT NULL AND j.queue = s.queue AND j.priority = s.priority
    AND j.lane = s.lane AND j.state = s.state AND j.visible_at <= $5
  ORDER BY j.visible_at, j.id LIMIT $6 FOR UPDATE SKIP LOCKED) AS j;
