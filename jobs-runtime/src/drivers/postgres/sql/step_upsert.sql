-- Records, new or in place of their pending form. The rows of their jobs are locked.
INSERT INTO jobs.step (
  job, name, kind, position, outcome, fingerprint, attempts, started_at, completed_at, event,
  child, codec, output, more)
SELECT * FROM unnest(
  $1::uuid[], $2::text[], $3::text[], $4::bigint[], $5::text[], $6::bigint[], $7::bigint[],
  $8::bigint[], $9::bigint[], $10::uuid[], $11::uuid[], $12::integer[], $13::bytea[], $14::text[])
ON CONFLICT (job, name) DO UPDATE SET
  kind = excluded.kind, position = excluded.position, outcome = excluded.outcome,
  fingerprint = excluded.fingerprint, attempts = excluded.attempts,
  started_at = excluded.started_at, completed_at = excluded.completed_at, event = excluded.event,
  child = excluded.child, codec = excluded.codec, output = excluded.output, more = excluded.more;
