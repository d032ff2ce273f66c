-- Where a live job stands: all that a decision about a commit or heartbeat needs. Always under
-- the writer's lock, so the answer holds until the transaction ends.
SELECT
  j.state, j.revision, j.attempt, j.attempts_max, j.lease_losses, j.epoch, j.nonce, j.visible_at,
  j.nudge, j.next_position, j.commit_epoch, j.commit_nonce, j.commit_number, j.cancel_requested,
  j.enqueued_at, j.started_at, j.last_change,
  j.tenant
FROM jobs_job j WHERE j.id = ?1;
