-- How far chains have come with the events of a name and key. Same transaction as the ends of the
-- runs that consumed them.
INSERT INTO jobs.mark (chain, event, key, seq)
SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[], $4::bigint[])
ON CONFLICT (chain, event, key) DO UPDATE SET seq = greatest(mark.seq, excluded.seq);
