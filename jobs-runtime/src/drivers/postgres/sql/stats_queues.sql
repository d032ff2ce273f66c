-- Every queue with live jobs or dead letters: a seek for each.
WITH RECURSIVE
timed (queue) AS (
  (SELECT queue FROM jobs.job WHERE visible_at IS NOT NULL ORDER BY queue LIMIT 1)
  UNION ALL
  SELECT (
    SELECT j.queue FROM jobs.job j
    WHERE j.visible_at IS NOT NULL AND j.queue > f.queue ORDER BY j.queue LIMIT 1)
  FROM timed f WHERE f.queue IS NOT NULL),
parked (queue) AS (
  (SELECT queue FROM jobs.job WHERE visible_at IS NULL ORDER BY queue LIMIT 1)
  UNION ALL
  SELECT (
    SELECT j.queue FROM jobs.job j
    WHERE j.visible_at IS NULL AND j.queue > f.queue ORDER BY j.queue LIMIT 1)
  FROM parked f WHERE f.queue IS NOT NULL),
dead (queue) AS (
  (SELECT queue FROM jobs.dead ORDER BY queue LIMIT 1)
  UNION ALL
  SELECT (SELECT j.queue FROM jobs.dead j WHERE j.queue > f.queue ORDER BY j.queue LIMIT 1)
  FROM dead f WHERE f.queue IS NOT NULL)
SELECT queue FROM (
  SELECT queue FROM timed UNION SELECT queue FROM parked UNION SELECT queue FROM dead) AS queues
WHERE queue IS NOT NULL ORDER BY queue LIMIT $1;
