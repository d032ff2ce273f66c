-- Registers waits, with their pending records and under the shared locks of the names.
INSERT INTO jobs.wait (job, step, event, key)
SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[])
ON CONFLICT (job, step, event) DO UPDATE SET key = excluded.key;
