-- The strips of queues: which priorities, lanes and states have rows, a seek for each.
SELECT q.queue, s.priority, s.lane, s.state
FROM unnest($1::text[]) AS q (queue) CROSS JOIN LATERAL (
  WITH RECURSIVE strip (priority, lane, state) AS (
    (SELECT j.priority, j.lane, j.state FROM jobs.job j
     WHERE j.visible_at IS NOT NULL AND j.queue = q.queue
     ORDER BY j.priority, j.lane, j.state LIMIT 1)
    UNION ALL
    SELECT n.priority, n.lane, n.state FROM strip f CROSS JOIN LATERAL (
      SELECT j.priority, j.lane, j.state FROM jobs.job j
      WHERE j.visible_at IS NOT NULL AND j.queue = q.queue
        AND (j.priority, j.lane, j.state) > (f.priority, f.lane, f.state)
      ORDER BY j.priority, j.lane, j.state LIMIT 1) AS n)
  SELECT strip.priority, strip.lane, strip.state FROM strip LIMIT $2) AS s;
