-- Makes ended jobs live again, with all that belonged to them; who comes second finds none. The
-- head and the waits are written after it.
WITH e AS (DELETE FROM jobs.ended WHERE id = ANY ($1::uuid[]) RETURNING *),
s AS (INSERT INTO jobs.spec (job, codec, input, rest) SELECT id, codec, input, rest FROM e),
r AS (
  INSERT INTO jobs.step SELECT p.* FROM e, json_populate_recordset(NULL::jobs.step, e.journal) p
  WHERE e.journal IS NOT NULL),
i AS (
  INSERT INTO jobs.inbox SELECT p.* FROM e, json_populate_recordset(NULL::jobs.inbox, e.inbox) p
  WHERE e.inbox IS NOT NULL),
l AS (
  INSERT INTO jobs.log (job, at, text)
  SELECT p.job, p.at, p.text FROM e, json_populate_recordset(NULL::jobs.log, e.log) p
  WHERE e.log IS NOT NULL ORDER BY p.line)
INSERT INTO jobs.job (
  id, run_id, name, scope, queue, key, priority, tenant, lane, limit_key, rate_key, parent_job, chain, chain_since,
  visibility_timeout, expires_at, state, revision, attempt, attempts_max, lease_losses, epoch,
  nonce, visible_at, nudge, next_position, commit_epoch, commit_nonce, commit_number,
  cancel_requested, enqueued_at, started_at, last_change, worker, notes)
SELECT
  id, run_id, name, scope, queue, key, priority, tenant, lane, limit_key, rate_key, parent_job, chain, chain_since,
  visibility_timeout, expires_at, 'suspended', revision, attempt, attempts_max, lease_losses,
  epoch, nonce, NULL, nudge, next_position, commit_epoch, commit_nonce, commit_number,
  cancel_requested, enqueued_at, started_at, last_change, worker, notes
FROM e;
