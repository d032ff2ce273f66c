-- A wait is registered for as long as its step is pending. A reader's snapshot.
SELECT lower(hex(w.job)) || ' ' || w.step FROM jobs_wait w
JOIN jobs_step s ON s.job = w.job AND s.name = w.step
WHERE ?1 IS NOT NULL AND s.position IS NOT NULL LIMIT ?2;
