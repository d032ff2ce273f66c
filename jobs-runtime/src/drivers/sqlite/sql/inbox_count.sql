-- How much was pinned to a live run, consumed or not. Writer's lock.
SELECT count(*) FROM jobs_inbox WHERE job = ?1;
