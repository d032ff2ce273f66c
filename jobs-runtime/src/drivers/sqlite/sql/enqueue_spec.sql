-- What does not change any more, beside the row: same transaction, same lock.
INSERT INTO jobs_spec (
  job, parent_job, parent_run, parent_step, tick_schedule, tick_at, trace_context, labels, version,
  fork_of, continued_from, codec, input, on_cancel, chain, chain_since)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16);
