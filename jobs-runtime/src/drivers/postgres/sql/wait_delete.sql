-- Waits of records that were delivered, changed or removed.
DELETE FROM jobs.wait w USING unnest($1::uuid[], $2::text[]) AS g (job, step)
WHERE w.job = g.job AND w.step = g.step;
