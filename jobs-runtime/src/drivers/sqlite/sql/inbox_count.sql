-- How many events were pinned to a live run, consumed or not. Writer's lock.
SELECT count(*) FROM jobs_inbox WHERE job = ?1 AND event IS NOT NULL;
