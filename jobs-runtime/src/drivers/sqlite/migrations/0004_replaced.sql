-- Enqueues that gave another job their input: sent again, they are not taken for newer ones.

CREATE TABLE jobs_replaced (
  -- Of the enqueue; no job has it.
  id BLOB NOT NULL PRIMARY KEY,
  -- The job that got its input.
  job BLOB NOT NULL,
  run_id BLOB NOT NULL,
  -- Milliseconds since 1970; nobody sends it again after that.
  until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX jobs_replaced_until ON jobs_replaced (until);
