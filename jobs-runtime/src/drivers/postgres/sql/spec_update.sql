-- Other inputs for jobs that have not begun. Their rows are locked.
UPDATE jobs.spec s SET codec = n.codec, input = n.input
FROM unnest($1::uuid[], $2::integer[], $3::bytea[]) AS n (job, codec, input)
WHERE s.job = n.job;
