-- New live rows. An id that is there already ends the transaction, which then finds it.
INSERT INTO jobs.job (
  id, run_id, name, scope, queue, key, priority, tenant, lane, limit_key, rate_key, parent_job,
  chain, chain_since, visibility_timeout, expires_at, state, revision, attempt, attempts_max,
  lease_losses, epoch, nonce, visible_at, nudge, next_position, commit_epoch, commit_nonce,
  commit_number, cancel_requested, enqueued_at, started_at, last_change, worker, notes)
SELECT * FROM unnest(
  $1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::smallint[],
  $8::text[], $9::text[], $10::text[], $11::text[], $12::uuid[], $13::uuid[], $14::bigint[],
  $15::bigint[], $16::bigint[], $17::text[], $18::bigint[], $19::bigint[], $20::bigint[],
  $21::bigint[], $22::bigint[], $23::bigint[], $24::bigint[], $25::bigint[], $26::bigint[],
  $27::bigint[], $28::bigint[], $29::bigint[], $30::boolean[], $31::bigint[], $32::bigint[],
  $33::bigint[], $34::text[], $35::text[]);
