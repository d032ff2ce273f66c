-- Enqueues that gave another job their input; one that comes back after its time is a new one.
INSERT INTO jobs.replaced (id, job, run_id, until)
SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::bigint[])
ON CONFLICT (id) DO UPDATE SET job = excluded.job, run_id = excluded.run_id, until = excluded.until;
