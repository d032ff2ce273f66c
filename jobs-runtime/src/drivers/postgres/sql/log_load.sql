-- The lines of a live job's log, oldest first.
SELECT at, text FROM jobs.log WHERE job = $1 ORDER BY line;
