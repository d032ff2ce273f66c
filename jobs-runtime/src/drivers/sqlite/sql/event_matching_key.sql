-- The earliest stored event that serves a wait with a key and is not known to its run yet, nor was
-- consumed by one before it in its chain. In the transaction that registers the wait, so that no
-- publish can come between.
SELECT seq, id, name, key, codec, payload, published_at FROM jobs_event e
WHERE name = ?1 AND key = ?2
  AND seq > coalesce((
    SELECT max(m.seq) FROM jobs_mark m
    WHERE m.chain = (SELECT s.chain FROM jobs_spec s WHERE s.job = ?6)
      AND m.event = ?1 AND m.key IN ('', ?2)), 0)
  AND published_at >= ?3 AND expires_at > ?4
  AND (tenant IS NULL OR tenant = ?5)
  AND NOT EXISTS (SELECT 1 FROM jobs_inbox i WHERE i.job = ?6 AND i.event = e.id)
  AND NOT EXISTS (SELECT 1 FROM jobs_step s WHERE s.job = ?6 AND s.event = e.id)
ORDER BY seq LIMIT 1;
