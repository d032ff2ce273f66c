-- Registers a wait under one of its event's names, in the transaction that stores the pending
-- record: a publish comes wholly before or wholly after it.
INSERT INTO jobs_wait (job, step, event, key, since) VALUES (?1, ?2, ?3, ?4, ?5)
ON CONFLICT (job, step, event) DO UPDATE SET key = excluded.key, since = excluded.since;
