-- The same of an ended job.
SELECT l.at, l.text FROM jobs.ended e, json_populate_recordset(NULL::jobs.log, e.log) l
WHERE e.id = $1 AND e.log IS NOT NULL ORDER BY l.line;
