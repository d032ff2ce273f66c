-- Settings as they now stand. Under their locks.
INSERT INTO jobs.setting (key, value, revision)
SELECT * FROM unnest($1::text[], $2::bytea[], $3::bigint[])
ON CONFLICT (key) DO UPDATE SET value = excluded.value, revision = excluded.revision;
