-- Moves jobs that have ended out of live storage, with all that belonged to them. Their rows are
-- locked; what the same transaction wrote before is moved along.
WITH m AS (
  SELECT * FROM unnest(
    $1::uuid[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[],
    $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[], $13::bigint[],
    $14::bigint[], $15::boolean[], $16::bigint[], $17::bigint[], $18::text[], $19::text[],
    $20::uuid[], $21::bigint[], $22::bigint[]) AS m (
    id, state, revision, attempt, attempts_max, lease_losses, epoch, nonce, visible_at, nudge,
    next_position, commit_epoch, commit_nonce, commit_number, cancel_requested, started_at,
    last_change, worker, notes, chain, chain_since, ended_at)),
j AS (DELETE FROM jobs.job g USING m WHERE g.id = m.id RETURNING g.*),
s AS (DELETE FROM jobs.spec g USING m WHERE g.job = m.id RETURNING g.*),
w AS (DELETE FROM jobs.wait g USING m WHERE g.job = m.id),
t AS (DELETE FROM jobs.told g USING m WHERE g.child = m.id),
r AS (DELETE FROM jobs.step g USING m WHERE g.job = m.id RETURNING g.*),
i AS (DELETE FROM jobs.inbox g USING m WHERE g.job = m.id RETURNING g.*),
l AS (DELETE FROM jobs.log g USING m WHERE g.job = m.id RETURNING g.*)
INSERT INTO jobs.ended (
  id, run_id, name, scope, queue, key, priority, tenant, lane, limit_key, rate_key, parent_job,
  visibility_timeout, expires_at, enqueued_at, state, revision, attempt, attempts_max,
  lease_losses, epoch, nonce, visible_at, nudge, next_position, commit_epoch, commit_nonce,
  commit_number, cancel_requested, started_at, last_change, worker, notes, chain, chain_since,
  ended_at, codec, input, rest, journal, inbox, log)
SELECT
  m.id, j.run_id, j.name, j.scope, j.queue, j.key, j.priority, j.tenant, j.lane, j.limit_key,
  j.rate_key, j.parent_job, j.visibility_timeout, j.expires_at, j.enqueued_at, m.state,
  m.revision, m.attempt, m.attempts_max, m.lease_losses, m.epoch, m.nonce, m.visible_at, m.nudge,
  m.next_position, m.commit_epoch, m.commit_nonce, m.commit_number, m.cancel_requested,
  m.started_at, m.last_change, m.worker, m.notes, m.chain, m.chain_since, m.ended_at, s.codec,
  s.input, s.rest, rs.journal, xs.inbox, ls.log
FROM m JOIN j ON j.id = m.id JOIN s ON s.job = m.id
LEFT JOIN (SELECT r.job, json_agg(r) AS journal FROM r GROUP BY r.job) AS rs ON rs.job = m.id
LEFT JOIN (SELECT i.job, json_agg(i) AS inbox FROM i GROUP BY i.job) AS xs ON xs.job = m.id
LEFT JOIN (SELECT l.job, json_agg(l) AS log FROM l GROUP BY l.job) AS ls ON ls.job = m.id;
