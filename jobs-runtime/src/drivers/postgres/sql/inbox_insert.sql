-- What is pinned to runs whose rows are locked.
INSERT INTO jobs.inbox (job, seq, event, child, content)
SELECT * FROM unnest($1::uuid[], $2::bigint[], $3::uuid[], $4::uuid[], $5::text[])
ON CONFLICT DO NOTHING;
