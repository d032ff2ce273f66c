-- Replaces the notes of a live job. Writer's lock.
INSERT INTO jobs_note (job, notes) VALUES (?1, ?2)
ON CONFLICT (job) DO UPDATE SET notes = excluded.notes;
