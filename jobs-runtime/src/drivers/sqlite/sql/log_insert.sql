-- A line at the end of a job's log. Numbered under the writer's lock.
INSERT INTO jobs_log (job, line, at, text)
SELECT ?1, coalesce(max(line), 0) + 1, ?2, ?3 FROM jobs_log WHERE job = ?1;
