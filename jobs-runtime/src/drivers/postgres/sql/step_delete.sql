-- Records that go. The rows of their jobs are locked.
DELETE FROM jobs.step s USING unnest($1::uuid[], $2::text[]) AS g (job, name)
WHERE s.job = g.job AND s.name = g.name;
