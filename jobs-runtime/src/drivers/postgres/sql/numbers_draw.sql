-- New numbers. A transaction that is given up leaves a gap.
SELECT nextval('jobs.number') FROM generate_series(1, $1::bigint);
