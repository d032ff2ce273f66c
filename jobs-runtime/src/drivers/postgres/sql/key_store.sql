-- Keys as they now stand. Under their locks.
INSERT INTO jobs.key (scope, key, job, run_id, until, span, next, next_run, next_from)
SELECT * FROM unnest(
  $1::text[], $2::text[], $3::uuid[], $4::uuid[], $5::bigint[], $6::bigint[], $7::uuid[],
  $8::uuid[], $9::bigint[])
ON CONFLICT (scope, key) DO UPDATE SET
  job = excluded.job, run_id = excluded.run_id, until = excluded.until, span = excluded.span,
  next = excluded.next, next_run = excluded.next_run, next_from = excluded.next_from;
