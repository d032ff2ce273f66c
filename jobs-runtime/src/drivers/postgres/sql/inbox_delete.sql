-- What is not pinned any more.
DELETE FROM jobs.inbox i USING unnest($1::uuid[], $2::bigint[]) AS g (job, seq)
WHERE i.job = g.job AND i.seq = g.seq;
