-- All that was pinned to jobs.
SELECT job, seq, content FROM jobs.inbox WHERE job = ANY ($1::uuid[]) ORDER BY job, seq;
