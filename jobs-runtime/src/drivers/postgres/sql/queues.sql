-- The queues that have rows with an instant: one seek for each instead of a scan.
WITH RECURSIVE found (queue) AS (
  (SELECT queue FROM jobs.job WHERE visible_at IS NOT NULL ORDER BY queue LIMIT 1)
  UNION ALL
  SELECT (
    SELECT j.queue FROM jobs.job j
    WHERE j.visible_at IS NOT NULL AND j.queue > f.queue ORDER BY j.queue LIMIT 1)
  FROM found f WHERE f.queue IS NOT NULL)
SELECT queue FROM found WHERE queue IS NOT NULL LIMIT $1;
