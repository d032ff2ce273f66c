-- How far rates have moved. Under the lock of the claims.
INSERT INTO jobs.pace (limited, pace) SELECT * FROM unnest($1::text[], $2::bigint[])
ON CONFLICT (limited) DO UPDATE SET pace = excluded.pace;
