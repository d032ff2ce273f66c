-- The runs that wait for an event of this name and key. In the transaction that stores the event.
-- Two seeks, because a wait without a key takes any.
SELECT w.job FROM jobs_wait w JOIN jobs_job j ON j.id = w.job
WHERE w.event = ?1 AND w.key IS NULL AND w.since <= ?3
  AND (?4 IS NULL OR j.tenant = ?4)
UNION
SELECT w.job FROM jobs_wait w JOIN jobs_job j ON j.id = w.job
WHERE w.event = ?1 AND w.key = ?2 AND w.since <= ?3
  AND (?4 IS NULL OR j.tenant = ?4)
ORDER BY 1;
