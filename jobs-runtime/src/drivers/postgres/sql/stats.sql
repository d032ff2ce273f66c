-- Counts of queues, each up to a bound: ready, delayed, running, suspended, dead, and the instant of
-- the oldest row that waits.
SELECT q.queue,
  (SELECT count(*) FROM (
    SELECT 1 FROM jobs.job j WHERE j.visible_at IS NOT NULL AND j.queue = q.queue
      AND j.state = 'pending' AND j.visible_at <= $2 LIMIT $3) AS c),
  (SELECT count(*) FROM (
    SELECT 1 FROM jobs.job j WHERE j.visible_at IS NOT NULL AND j.queue = q.queue
      AND j.state = 'pending' AND j.visible_at > $2 LIMIT $3) AS c),
  (SELECT count(*) FROM (
    SELECT 1 FROM jobs.job j WHERE j.visible_at IS NOT NULL AND j.queue = q.queue
      AND j.state = 'running' LIMIT $3) AS c),
  (SELECT count(*) FROM (
    SELECT 1 FROM jobs.job j WHERE j.queue = q.queue AND j.state = 'suspended' LIMIT $3) AS c),
  (SELECT count(*) FROM (SELECT 1 FROM jobs.dead d WHERE d.queue = q.queue LIMIT $3) AS c),
  (SELECT min(j.visible_at) FROM jobs.job j
    WHERE j.visible_at IS NOT NULL AND j.queue = q.queue AND j.state = 'pending')
FROM unnest($1::text[]) AS q (queue) ORDER BY q.queue;
