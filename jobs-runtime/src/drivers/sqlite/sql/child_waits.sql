-- Whether job ?2 is job ?1, or waits for its end directly or through others: then ?1 must not wait
-- for ?2. Writer's lock. Chains are short; the limit only bounds what a broken store could do.
WITH RECURSIVE waiter (job) AS (
  SELECT ?1
  UNION
  SELECT t.parent FROM waiter w JOIN jobs_told t ON t.child = w.job
  LIMIT 100000)
SELECT EXISTS (SELECT 1 FROM waiter WHERE job = ?2);
