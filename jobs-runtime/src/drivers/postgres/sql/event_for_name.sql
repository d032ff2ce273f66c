-- The same for a wait that takes any key.
SELECT seq, id, name, key, tenant, published_at, expires_at, woken, codec, payload
FROM jobs.event e
WHERE name = $1
  AND seq > coalesce((
    SELECT max(m.seq) FROM jobs.mark m
    WHERE m.chain = $7 AND m.event = $1 AND m.key = ''), 0)
  AND published_at >= $2 AND expires_at > $3
  AND (tenant IS NULL OR tenant = $4)
  AND NOT EXISTS (
    SELECT 1 FROM jobs.mark m
    WHERE m.chain = $7 AND m.event = $1 AND m.key = e.key AND m.seq >= e.seq)
  AND NOT EXISTS (SELECT 1 FROM jobs.inbox i WHERE i.job = $5 AND i.event = e.id)
  AND NOT EXISTS (SELECT 1 FROM jobs.step s WHERE s.job = $5 AND s.event = e.id)
ORDER BY seq LIMIT $6;
