-- The earliest events of a name and key that serve a wait and are not known to its run, nor were
-- consumed by one before it in its chain. Under the shared lock of the name.
SELECT seq, id, name, key, tenant, published_at, expires_at, woken, codec, payload
FROM jobs.event e
WHERE name = $1 AND key = $2
  AND seq > coalesce((
    SELECT max(m.seq) FROM jobs.mark m
    WHERE m.chain = $8 AND m.event = $1 AND m.key IN ('', $2)), 0)
  AND published_at >= $3 AND expires_at > $4
  AND (tenant IS NULL OR tenant = $5)
  AND NOT EXISTS (SELECT 1 FROM jobs.inbox i WHERE i.job = $6 AND i.event = e.id)
  AND NOT EXISTS (SELECT 1 FROM jobs.step s WHERE s.job = $6 AND s.event = e.id)
ORDER BY seq LIMIT $7;
