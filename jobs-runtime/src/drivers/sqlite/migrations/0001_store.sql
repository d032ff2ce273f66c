-- The store of live work, of ended work and of dead letters, apart from each other.
-- Times are milliseconds; ids are sixteen bytes; counters of 64 bits stand in signed columns
-- with the same bits. STRICT, so that a wrong type is refused here and not found later.

-- Where each live job stands, and what decisions and lists read of it. Ended jobs are not here,
-- so no row of this table has an end.
CREATE TABLE jobs_job (
  id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
  run_id BLOB NOT NULL CHECK (length(run_id) = 16),
  name TEXT NOT NULL,
  scope TEXT NOT NULL,
  queue TEXT NOT NULL CHECK (queue <> ''),
  key TEXT CHECK (key <> ''),
  priority INTEGER NOT NULL CHECK (priority BETWEEN 0 AND 9),
  tenant TEXT,
  visibility_timeout INTEGER,
  expires_at INTEGER,
  limit_key TEXT,
  rate_key TEXT,
  state TEXT NOT NULL CHECK (state IN ('pending', 'running', 'suspended')),
  revision INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  attempts_max INTEGER NOT NULL,
  lease_losses INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  nonce INTEGER NOT NULL,
  visible_at INTEGER CHECK (visible_at IS NOT NULL OR state = 'suspended'),
  nudge INTEGER NOT NULL,
  next_position INTEGER NOT NULL,
  commit_epoch INTEGER NOT NULL,
  commit_nonce INTEGER NOT NULL,
  commit_number INTEGER NOT NULL,
  cancel_requested INTEGER NOT NULL CHECK (cancel_requested IN (0, 1)),
  enqueued_at INTEGER NOT NULL,
  started_at INTEGER,
  last_change INTEGER,
  worker TEXT
) STRICT, WITHOUT ROWID;

-- Serves claims (one range for each state, queue and priority), the times until the next one,
-- and counts. Rows that wait for ever are not in it.
CREATE INDEX jobs_job_visible ON jobs_job (state, queue, priority, visible_at, id)
  WHERE visible_at IS NOT NULL;
CREATE INDEX jobs_job_parked ON jobs_job (queue, id) WHERE visible_at IS NULL;
CREATE INDEX jobs_job_name ON jobs_job (name, id);
CREATE INDEX jobs_job_run ON jobs_job (run_id);
CREATE INDEX jobs_job_key ON jobs_job (key, id) WHERE key IS NOT NULL;
CREATE INDEX jobs_job_tenant ON jobs_job (tenant, id) WHERE tenant IS NOT NULL;

-- The rest of what was asked for. Written once, so that changes of the head never move an input.
CREATE TABLE jobs_spec (
  job BLOB NOT NULL PRIMARY KEY REFERENCES jobs_job (id) ON DELETE CASCADE,
  parent_job BLOB,
  parent_run BLOB,
  parent_step TEXT,
  tick_schedule TEXT,
  tick_at INTEGER,
  trace_context TEXT,
  labels TEXT NOT NULL,
  version INTEGER NOT NULL,
  fork_of BLOB,
  continued_from BLOB,
  codec INTEGER NOT NULL,
  input BLOB NOT NULL
) STRICT;

-- What is noted of a live job for people, as JSON; most jobs have none.
CREATE TABLE jobs_note (
  job BLOB NOT NULL PRIMARY KEY REFERENCES jobs_job (id) ON DELETE CASCADE,
  notes TEXT NOT NULL
) STRICT;

-- The journal. A row of a job has one run, and the job's id is at hand wherever a record is
-- written, so the records hang on it and vanish with it.
CREATE TABLE jobs_step (
  job BLOB NOT NULL REFERENCES jobs_job (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('child', 'event', 'sleep', 'step')),
  position INTEGER,
  outcome TEXT CHECK (outcome IN ('done', 'failed', 'interrupted', 'timed_out')),
  fingerprint INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  completed_at INTEGER,
  wake_at INTEGER,
  wait TEXT,
  event BLOB,
  child BLOB,
  last_error TEXT,
  error TEXT,
  codec INTEGER,
  output BLOB,
  PRIMARY KEY (job, name),
  CHECK ((outcome IS 'done') = (output IS NOT NULL)),
  CHECK ((outcome IS 'failed') = (error IS NOT NULL))
) STRICT;

-- What a run has consumed.
CREATE INDEX jobs_step_event ON jobs_step (job, event) WHERE event IS NOT NULL;
CREATE INDEX jobs_step_child ON jobs_step (job, child)
  WHERE child IS NOT NULL AND position IS NOT NULL;

-- Registered waits: one row for each name that serves the wait of a pending record.
CREATE TABLE jobs_wait (
  job BLOB NOT NULL,
  step TEXT NOT NULL,
  event TEXT NOT NULL,
  key TEXT,
  since INTEGER NOT NULL,
  PRIMARY KEY (job, step, event),
  FOREIGN KEY (job, step) REFERENCES jobs_step (job, name) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX jobs_wait_event ON jobs_wait (event, key);

-- What was pinned to a run, consumed or not. It stays whatever becomes of the event or child.
CREATE TABLE jobs_inbox (
  job BLOB NOT NULL REFERENCES jobs_job (id) ON DELETE CASCADE,
  seq INTEGER NOT NULL,
  event BLOB,
  child BLOB,
  content TEXT NOT NULL,
  PRIMARY KEY (job, seq),
  CHECK ((event IS NULL) <> (child IS NULL))
) STRICT;
CREATE UNIQUE INDEX jobs_inbox_event ON jobs_inbox (job, event) WHERE event IS NOT NULL;
CREATE INDEX jobs_inbox_child ON jobs_inbox (job, child) WHERE child IS NOT NULL;

-- Who shall be told of a live job's end: the run that enqueued it as a child, and those that joined
-- it. A parent may end first; it is then simply not there to be told.
CREATE TABLE jobs_told (
  child BLOB NOT NULL REFERENCES jobs_job (id) ON DELETE CASCADE,
  parent BLOB NOT NULL,
  PRIMARY KEY (child, parent)
) STRICT, WITHOUT ROWID;

-- The last lines each live job wrote about itself.
CREATE TABLE jobs_log (
  job BLOB NOT NULL REFERENCES jobs_job (id) ON DELETE CASCADE,
  line INTEGER NOT NULL,
  at INTEGER NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (job, line)
) STRICT, WITHOUT ROWID;

-- Who holds each idempotency key: a live job, or until an instant also an ended one.
CREATE TABLE jobs_key (
  scope TEXT NOT NULL,
  key TEXT NOT NULL,
  job BLOB NOT NULL,
  run_id BLOB NOT NULL,
  until INTEGER,
  PRIMARY KEY (scope, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX jobs_key_until ON jobs_key (until) WHERE until IS NOT NULL;

-- Published events, in the order of publication.
CREATE TABLE jobs_event (
  seq INTEGER NOT NULL PRIMARY KEY,
  id BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
  name TEXT NOT NULL,
  key TEXT,
  tenant TEXT,
  published_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  trace_context TEXT,
  woken INTEGER NOT NULL,
  codec INTEGER NOT NULL,
  payload BLOB NOT NULL
) STRICT;
CREATE INDEX jobs_event_key ON jobs_event (name, key, seq);
CREATE INDEX jobs_event_name ON jobs_event (name, seq);
CREATE INDEX jobs_event_expires ON jobs_event (expires_at);

-- Numbers that only rise. `publication` numbers events and inbox items alike; `setting` the
-- revisions of settings, so that one which was removed and made again has a new one.
CREATE TABLE jobs_counter (
  name TEXT NOT NULL PRIMARY KEY,
  value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO jobs_counter (name, value) VALUES ('publication', 0), ('setting', 0);

-- Ended jobs, with all that belonged to them in one text of JSON. Retention removes them.
CREATE TABLE jobs_ended (
  id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
  run_id BLOB NOT NULL,
  name TEXT NOT NULL,
  queue TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('done', 'failed', 'cancelled')),
  tenant TEXT,
  key TEXT,
  ended_at INTEGER NOT NULL,
  body TEXT NOT NULL
) STRICT;
CREATE INDEX jobs_ended_run ON jobs_ended (run_id);
CREATE INDEX jobs_ended_name ON jobs_ended (name, id);
CREATE INDEX jobs_ended_state ON jobs_ended (state, id);
CREATE INDEX jobs_ended_queue ON jobs_ended (queue, id);
CREATE INDEX jobs_ended_tenant ON jobs_ended (tenant, id) WHERE tenant IS NOT NULL;
CREATE INDEX jobs_ended_key ON jobs_ended (key, id) WHERE key IS NOT NULL;
CREATE INDEX jobs_ended_at ON jobs_ended (ended_at);

-- Dead letters: the same, kept until somebody purges them by name.
CREATE TABLE jobs_dead (
  id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
  run_id BLOB NOT NULL,
  name TEXT NOT NULL,
  queue TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state = 'dead'),
  tenant TEXT,
  key TEXT,
  ended_at INTEGER NOT NULL,
  body TEXT NOT NULL
) STRICT;
CREATE INDEX jobs_dead_run ON jobs_dead (run_id);
CREATE INDEX jobs_dead_name ON jobs_dead (name, id);
CREATE INDEX jobs_dead_queue ON jobs_dead (queue, id);
CREATE INDEX jobs_dead_tenant ON jobs_dead (tenant, id) WHERE tenant IS NOT NULL;
CREATE INDEX jobs_dead_key ON jobs_dead (key, id) WHERE key IS NOT NULL;
CREATE INDEX jobs_dead_at ON jobs_dead (ended_at);

-- Settings of queues, limits, schedules and workers.
CREATE TABLE jobs_setting (
  key TEXT NOT NULL PRIMARY KEY,
  value BLOB NOT NULL,
  revision INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
