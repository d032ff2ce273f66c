-- Drops the oldest lines of a log beyond its bound. Writer's lock.
DELETE FROM jobs_log
WHERE job = ?1 AND line <= (SELECT max(line) FROM jobs_log WHERE job = ?1) - ?2;
