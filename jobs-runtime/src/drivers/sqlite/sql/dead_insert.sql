-- Stores a job that ended, in the transaction that takes it out of live storage.
INSERT INTO jobs_dead (id, run_id, name, queue, state, tenant, key, ended_at, body)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9);
