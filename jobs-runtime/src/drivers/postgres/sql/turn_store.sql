-- Whose turn it is now. Under the lock of the claims.
INSERT INTO jobs.turn (queue, priority, lane, served)
SELECT * FROM unnest($1::text[], $2::smallint[], $3::text[], $4::bigint[])
ON CONFLICT (queue, priority) DO UPDATE SET lane = excluded.lane, served = excluded.served;
