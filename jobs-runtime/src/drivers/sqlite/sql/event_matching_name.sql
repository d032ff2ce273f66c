-- The same for a wait without a key, which any event of the name serves.
SELECT seq, id, name, key, codec, payload, published_at FROM jobs_event e
WHERE name = ?1
  AND seq > coalesce((
    SELECT max(m.seq) FROM jobs_mark m
    WHERE m.chain = (SELECT s.chain FROM jobs_spec s WHERE s.job = ?5)
      AND m.event = ?1 AND m.key = ''), 0)
  AND published_at >= ?2 AND expires_at > ?3
  AND (tenant IS NULL OR tenant = ?4)
  AND NOT EXISTS (
    SELECT 1 FROM jobs_mark m
    WHERE m.chain = (SELECT s.chain FROM jobs_spec s WHERE s.job = ?5)
      AND m.event = ?1 AND m.key = e.key AND m.seq >= e.seq)
  AND NOT EXISTS (SELECT 1 FROM jobs_inbox i WHERE i.job = ?5 AND i.event = e.id)
  AND NOT EXISTS (SELECT 1 FROM jobs_step s WHERE s.job = ?5 AND s.event = e.id)
ORDER BY seq LIMIT 1;
