-- A pending wait is registered. A reader's snapshot.
SELECT lower(hex(s.job)) || ' ' || s.name FROM jobs_step s
WHERE ?1 IS NOT NULL AND s.position IS NULL AND s.wait IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM jobs_wait w WHERE w.job = s.job AND w.step = s.name) LIMIT ?2;
