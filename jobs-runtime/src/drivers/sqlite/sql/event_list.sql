-- Events by publication, for people.
SELECT id, seq, name, key, tenant, codec, payload, published_at, expires_at FROM jobs_event
WHERE seq > ?1 ORDER BY seq LIMIT ?2;
