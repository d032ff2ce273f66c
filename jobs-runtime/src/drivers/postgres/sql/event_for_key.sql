-- The earliest events of a name and key that serve a wait and are not known to its run. Under the
-- shared lock of the name.
SELECT seq, id, name, key, tenant, published_at, expires_at, woken, codec, payload
FROM jobs.event e
WHERE name = $1 AND key = $2 AND published_at >= $3 AND expires_at > $4
  AND (tenant IS NULL OR tenant = $5)
  AND NOT EXISTS (SELECT 1 FROM jobs.inbox i WHERE i.job = $6 AND i.event = e.id)
  AND NOT EXISTS (SELECT 1 FROM jobs.step s WHERE s.job = $6 AND s.event = e.id)
ORDER BY seq LIMIT $7;
