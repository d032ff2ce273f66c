-- Remembers an enqueue that gave another job its input. Writer's lock; one that comes back after
-- its time is a new one.
INSERT OR REPLACE INTO jobs_replaced (id, job, run_id, until) VALUES (?1, ?2, ?3, ?4);
