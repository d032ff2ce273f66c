-- Pins an event or the end of a child to a run, once. Same transaction as what pins it.
INSERT INTO jobs_inbox (job, seq, event, child, content) VALUES (?1, ?2, ?3, ?4, ?5)
ON CONFLICT DO NOTHING;
