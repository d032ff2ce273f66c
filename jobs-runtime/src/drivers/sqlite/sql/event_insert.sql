-- Stores an event, in the transaction that wakes the runs which wait for it.
INSERT INTO jobs_event (
  seq, id, name, key, tenant, published_at, expires_at, trace_context, woken, codec, payload)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11);
