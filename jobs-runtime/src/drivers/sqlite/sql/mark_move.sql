-- How far a chain has come with the events of one name and key. Same transaction as the end of the
-- run that consumed them.
INSERT INTO jobs_mark (chain, event, key, seq) VALUES (?1, ?2, ?3, ?4)
ON CONFLICT (chain, event, key) DO UPDATE SET seq = max(seq, excluded.seq);
