-- What was asked for and no decision reads. Written once, or under the lock of the row.
SELECT job, codec, input, rest FROM jobs.spec WHERE job = ANY ($1::uuid[]);
