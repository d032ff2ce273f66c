-- A record, new or in place of its pending form. The lease was compared under the same lock.
INSERT INTO jobs_step (
  job, name, kind, position, outcome, fingerprint, attempts, started_at, completed_at, wake_at,
  wait, event, child, last_error, copied_from, error, codec, output)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18)
ON CONFLICT (job, name) DO UPDATE SET
  kind = excluded.kind, position = excluded.position, outcome = excluded.outcome,
  fingerprint = excluded.fingerprint, attempts = excluded.attempts,
  started_at = excluded.started_at, completed_at = excluded.completed_at,
  wake_at = excluded.wake_at, wait = excluded.wait, event = excluded.event,
  child = excluded.child, last_error = excluded.last_error,
  copied_from = excluded.copied_from, error = excluded.error,
  codec = excluded.codec, output = excluded.output;
