-- The journals of jobs. Under the locks of their rows.
SELECT job, name, kind, position, outcome, fingerprint, attempts, started_at, completed_at, event,
  child, codec, output, more
FROM jobs.step WHERE job = ANY ($1::uuid[]) ORDER BY job, position IS NULL, position, name;
