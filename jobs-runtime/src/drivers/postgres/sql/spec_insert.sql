-- What was asked for, with the new rows.
INSERT INTO jobs.spec (job, codec, input, rest)
SELECT * FROM unnest($1::uuid[], $2::integer[], $3::bytea[], $4::text[]);
