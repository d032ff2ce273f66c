-- Turns and limits: jobs of one tenant and one limit key wait in a lane of their own.

-- The text of the lane; empty for jobs without a tenant and without a limit.
ALTER TABLE jobs_job ADD COLUMN lane TEXT NOT NULL DEFAULT '';
DROP INDEX jobs_job_visible;
CREATE INDEX jobs_job_visible ON jobs_job (state, queue, priority, lane, visible_at, id)
  WHERE visible_at IS NOT NULL;

-- Live leases of one tenant in a queue, and of one limit key. Without the instant, so that a
-- heartbeat touches neither.
CREATE INDEX jobs_job_tenant_running ON jobs_job (queue, tenant)
  WHERE state = 'running' AND tenant IS NOT NULL;
CREATE INDEX jobs_job_limit_running ON jobs_job (scope, limit_key)
  WHERE state = 'running' AND limit_key IS NOT NULL;

-- Whose turn it is in a queue at a priority, and what it has had of it.
CREATE TABLE jobs_turn (
  queue TEXT NOT NULL,
  priority INTEGER NOT NULL,
  lane TEXT NOT NULL,
  served INTEGER NOT NULL,
  PRIMARY KEY (queue, priority)
) STRICT, WITHOUT ROWID;

-- Where each rate stands: the microsecond at which its past starts are paid for.
CREATE TABLE jobs_pace (
  limited TEXT NOT NULL PRIMARY KEY,
  pace INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX jobs_pace_at ON jobs_pace (pace);
