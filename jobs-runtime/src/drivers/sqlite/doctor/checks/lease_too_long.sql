-- No lease lasts longer than a day from now: heartbeats extend it for less. A reader's snapshot.
SELECT lower(hex(id)) FROM jobs_job
WHERE state = 'running' AND visible_at > ?1 + 86400000 LIMIT ?2;
