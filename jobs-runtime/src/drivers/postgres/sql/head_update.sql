-- Heads of live rows, which are locked. Of a commit that only records steps, no column that an
-- index has changes, so the new row stays on the page of the old one.
UPDATE jobs.job j SET
  state = h.state, revision = h.revision, attempt = h.attempt, attempts_max = h.attempts_max,
  lease_losses = h.lease_losses, epoch = h.epoch, nonce = h.nonce, visible_at = h.visible_at,
  nudge = h.nudge, next_position = h.next_position, commit_epoch = h.commit_epoch,
  commit_nonce = h.commit_nonce, commit_number = h.commit_number,
  cancel_requested = h.cancel_requested, started_at = h.started_at, last_change = h.last_change,
  worker = h.worker, notes = h.notes, chain = h.chain, chain_since = h.chain_since,
  expires_at = h.expires_at
FROM unnest(
  $1::uuid[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[],
  $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[], $13::bigint[],
  $14::bigint[], $15::boolean[], $16::bigint[], $17::bigint[], $18::text[], $19::text[],
  $20::uuid[], $21::bigint[], $22::bigint[]) AS h (
  id, state, revision, attempt, attempts_max, lease_losses, epoch, nonce, visible_at, nudge,
  next_position, commit_epoch, commit_nonce, commit_number, cancel_requested, started_at,
  last_change, worker, notes, chain, chain_since, expires_at)
WHERE j.id = h.id;
