-- The state of a job that is no longer live, to tell its former holder. Writer's lock.
SELECT state FROM jobs_ended WHERE id = ?1;
