-- The journal of a live job: delivered records by position, then pending ones by name.
SELECT name, kind, position, outcome, fingerprint, attempts, started_at, completed_at, wake_at,
  wait, event, child, last_error, copied_from, error, codec, output
FROM jobs_step WHERE job = ?1
ORDER BY position IS NULL, position, name;
