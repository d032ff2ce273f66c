-- The store of live work, of ended work and of dead letters, apart from each other.
-- Times are milliseconds; counters of 64 bits stand in signed columns with the same bits. Texts
-- that are compared or sorted are compared byte by byte. There are no foreign keys: what belongs
-- to a job is written and removed with it, and a check for each row would double its cost.

-- Where each live job stands, and what decisions and lists read of it. Ended jobs are not here,
-- so that the table stays as small as the work in hand. Room in the pages lets a commit of a step,
-- which changes no index, stay on its page.
CREATE TABLE jobs.job (
  id uuid NOT NULL PRIMARY KEY,
  run_id uuid NOT NULL,
  name text COLLATE "C" NOT NULL,
  scope text COLLATE "C" NOT NULL,
  queue text COLLATE "C" NOT NULL CHECK (queue <> ''),
  key text COLLATE "C" CHECK (key <> ''),
  priority smallint NOT NULL CHECK (priority BETWEEN 0 AND 9),
  tenant text COLLATE "C",
  lane text COLLATE "C" NOT NULL,
  limit_key text COLLATE "C",
  rate_key text COLLATE "C",
  parent_job uuid,
  chain uuid,
  chain_since bigint,
  visibility_timeout bigint,
  expires_at bigint,
  state text COLLATE "C" NOT NULL CHECK (state IN ('pending', 'running', 'suspended')),
  revision bigint NOT NULL,
  attempt bigint NOT NULL,
  attempts_max bigint NOT NULL,
  lease_losses bigint NOT NULL,
  epoch bigint NOT NULL,
  nonce bigint NOT NULL,
  visible_at bigint CHECK (visible_at IS NOT NULL OR state = 'suspended'),
  nudge bigint NOT NULL,
  next_position bigint NOT NULL,
  commit_epoch bigint NOT NULL,
  commit_nonce bigint NOT NULL,
  commit_number bigint NOT NULL,
  cancel_requested boolean NOT NULL,
  enqueued_at bigint NOT NULL,
  started_at bigint,
  last_change bigint,
  worker text,
  notes text
) WITH (
  fillfactor = 70,
  autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_cost_delay = 0,
  autovacuum_analyze_scale_factor = 0.1
);

-- Serves claims (one range for each queue, priority, lane and state), the times until the next
-- one, and counts. Rows that wait for ever are not in it.
CREATE INDEX job_visible ON jobs.job (queue, priority, lane, state, visible_at, id)
  WHERE visible_at IS NOT NULL;
CREATE INDEX job_parked ON jobs.job (queue, id) WHERE visible_at IS NULL;
CREATE INDEX job_name ON jobs.job (name, id);
CREATE INDEX job_run ON jobs.job (run_id);
CREATE INDEX job_key ON jobs.job (key, id) WHERE key IS NOT NULL;
CREATE INDEX job_tenant ON jobs.job (tenant, id) WHERE tenant IS NOT NULL;
CREATE INDEX job_parent ON jobs.job (parent_job, id) WHERE parent_job IS NOT NULL;
CREATE INDEX job_limit_running ON jobs.job (scope, limit_key)
  WHERE state = 'running' AND limit_key IS NOT NULL;
CREATE INDEX job_tenant_running ON jobs.job (queue, tenant)
  WHERE state = 'running' AND tenant IS NOT NULL;

-- The input, and what else of the request no decision reads. Written once, so that changes of the
-- head never move it. `rest` is JSON; most jobs have none.
CREATE TABLE jobs.spec (
  job uuid NOT NULL PRIMARY KEY,
  codec integer NOT NULL,
  input bytea NOT NULL,
  rest text
);

-- The journal of live runs. `more` is JSON of what few records have.
CREATE TABLE jobs.step (
  job uuid NOT NULL,
  name text COLLATE "C" NOT NULL,
  kind text NOT NULL CHECK (kind IN ('child', 'event', 'sleep', 'step')),
  position bigint,
  outcome text CHECK (outcome IN ('done', 'failed', 'interrupted', 'timed_out')),
  fingerprint bigint NOT NULL,
  attempts bigint NOT NULL,
  started_at bigint NOT NULL,
  completed_at bigint,
  event uuid,
  child uuid,
  codec integer,
  output bytea,
  more text,
  PRIMARY KEY (job, name),
  CHECK ((outcome IS NOT DISTINCT FROM 'done') = (output IS NOT NULL))
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX step_pending ON jobs.step (job) WHERE position IS NULL;
CREATE INDEX step_event ON jobs.step (job, event) WHERE event IS NOT NULL;
CREATE INDEX step_child ON jobs.step (job, child) WHERE child IS NOT NULL;

-- Registered waits: one row for each name that serves the wait of a pending record.
CREATE TABLE jobs.wait (
  job uuid NOT NULL,
  step text COLLATE "C" NOT NULL,
  event text COLLATE "C" NOT NULL,
  key text COLLATE "C",
  PRIMARY KEY (job, step, event)
);
CREATE INDEX wait_event ON jobs.wait (event, key);

-- What was pinned to a run, consumed or not. It stays whatever becomes of the event or child.
CREATE TABLE jobs.inbox (
  job uuid NOT NULL,
  seq bigint NOT NULL,
  event uuid,
  child uuid,
  content text NOT NULL,
  PRIMARY KEY (job, seq),
  CHECK ((event IS NULL) <> (child IS NULL))
);
CREATE UNIQUE INDEX inbox_event ON jobs.inbox (job, event) WHERE event IS NOT NULL;

-- Who shall be told of a live job's end.
CREATE TABLE jobs.told (
  child uuid NOT NULL,
  parent uuid NOT NULL,
  PRIMARY KEY (child, parent)
);

-- The last lines each live job wrote about itself.
CREATE TABLE jobs.log (
  job uuid NOT NULL,
  line bigint GENERATED ALWAYS AS IDENTITY,
  at bigint NOT NULL,
  text text NOT NULL,
  PRIMARY KEY (job, line)
);

-- Who holds each idempotency key: a live job, or until an instant also an ended one. The follower
-- gets the key when the holder has ended, and does not run before `next_from`.
CREATE TABLE jobs.key (
  scope text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  job uuid NOT NULL,
  run_id uuid NOT NULL,
  until bigint,
  span bigint,
  next uuid,
  next_run uuid,
  next_from bigint,
  PRIMARY KEY (scope, key)
);
CREATE INDEX key_until ON jobs.key (until) WHERE until IS NOT NULL;

-- Enqueues that gave another job their input: sent again, they are not taken for newer ones.
CREATE TABLE jobs.replaced (
  id uuid NOT NULL PRIMARY KEY,
  job uuid NOT NULL,
  run_id uuid NOT NULL,
  until bigint NOT NULL
);
CREATE INDEX replaced_until ON jobs.replaced (until);

-- Published events, in the order of publication.
CREATE TABLE jobs.event (
  seq bigint NOT NULL PRIMARY KEY,
  id uuid NOT NULL UNIQUE,
  name text COLLATE "C" NOT NULL,
  key text COLLATE "C",
  tenant text COLLATE "C",
  published_at bigint NOT NULL,
  expires_at bigint NOT NULL,
  woken bigint NOT NULL,
  codec integer NOT NULL,
  payload bytea NOT NULL
);
CREATE INDEX event_key ON jobs.event (name, key, seq);
CREATE INDEX event_name ON jobs.event (name, seq);
CREATE INDEX event_expires ON jobs.event (expires_at);

-- How far the ended runs of a chain have come with the events of a name: up to this publication,
-- those of a key for waits with one, and those of any key ('') for waits without. It goes when no
-- event is stored any more that it could tell of.
CREATE TABLE jobs.mark (
  chain uuid NOT NULL,
  event text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  seq bigint NOT NULL,
  PRIMARY KEY (chain, event, key)
);
CREATE INDEX mark_seq ON jobs.mark (seq);

-- Numbers that only rise: of events, of what is pinned, and of the revisions of settings.
CREATE SEQUENCE jobs.number;

-- Ended jobs, with all that belonged to them. Retention removes them.
CREATE TABLE jobs.ended (
  LIKE jobs.job,
  ended_at bigint NOT NULL,
  codec integer NOT NULL,
  input bytea NOT NULL,
  rest text,
  journal json,
  inbox json,
  log json,
  PRIMARY KEY (id),
  CHECK (state IN ('done', 'failed', 'cancelled'))
);
CREATE INDEX ended_run ON jobs.ended (run_id);
CREATE INDEX ended_kept ON jobs.ended (name, state, ended_at, id);
CREATE INDEX ended_name ON jobs.ended (name, id);
CREATE INDEX ended_state ON jobs.ended (state, id);
CREATE INDEX ended_queue ON jobs.ended (queue, id);
CREATE INDEX ended_tenant ON jobs.ended (tenant, id) WHERE tenant IS NOT NULL;
CREATE INDEX ended_key ON jobs.ended (key, id) WHERE key IS NOT NULL;
CREATE INDEX ended_at ON jobs.ended (ended_at);

-- Dead letters: the same, kept until somebody purges them by name.
CREATE TABLE jobs.dead (LIKE jobs.ended);
ALTER TABLE jobs.dead ADD PRIMARY KEY (id), ADD CHECK (state = 'dead');
CREATE INDEX dead_run ON jobs.dead (run_id);
CREATE INDEX dead_name ON jobs.dead (name, id);
CREATE INDEX dead_queue ON jobs.dead (queue, id);
CREATE INDEX dead_tenant ON jobs.dead (tenant, id) WHERE tenant IS NOT NULL;
CREATE INDEX dead_key ON jobs.dead (key, id) WHERE key IS NOT NULL;
CREATE INDEX dead_at ON jobs.dead (ended_at);

-- Settings of queues, limits, schedules and workers.
CREATE TABLE jobs.setting (
  key text COLLATE "C" NOT NULL PRIMARY KEY,
  value bytea NOT NULL,
  revision bigint NOT NULL
);

-- Whose turn it is in a queue at a priority, and what it has had of it.
CREATE TABLE jobs.turn (
  queue text COLLATE "C" NOT NULL,
  priority smallint NOT NULL,
  lane text COLLATE "C" NOT NULL,
  served bigint NOT NULL,
  PRIMARY KEY (queue, priority)
);

-- Where each rate stands: the microsecond at which its past starts are paid for.
CREATE TABLE jobs.pace (
  limited text COLLATE "C" NOT NULL PRIMARY KEY,
  pace bigint NOT NULL
);
CREATE INDEX pace_at ON jobs.pace (pace);
