-- The registered waits of a run, by the name of their steps. In the transaction that changed them.
-- From the waits to the records, because a run has few of the one and may have many of the other.
SELECT DISTINCT w.step, s.wait
FROM jobs_wait w JOIN jobs_step s ON s.job = w.job AND s.name = w.step
WHERE w.job = ?1 ORDER BY w.step;
