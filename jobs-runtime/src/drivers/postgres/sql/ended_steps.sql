-- The journals of ended jobs, as rows.
SELECT s.job, s.name, s.kind, s.position, s.outcome, s.fingerprint, s.attempts, s.started_at,
  s.completed_at, s.event, s.child, s.codec, s.output, s.more
FROM jobs.ended e, json_populate_recordset(NULL::jobs.step, e.journal) s
WHERE e.id = ANY ($1::uuid[]) AND e.journal IS NOT NULL
ORDER BY s.job, s.position IS NULL, s.position, s.name;
