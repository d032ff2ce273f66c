-- Gives a job that has not begun another input. Writer's lock.
UPDATE jobs_spec SET codec = ?2, input = ?3 WHERE job = ?1;
