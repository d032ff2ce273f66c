-- Drops the oldest lines of logs beyond their bound.
DELETE FROM jobs.log l USING unnest($1::uuid[]) AS g (job)
WHERE l.job = g.job AND l.line <= (
  SELECT o.line FROM jobs.log o WHERE o.job = g.job ORDER BY o.line DESC OFFSET $2 LIMIT 1);
