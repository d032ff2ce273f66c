-- Events of one name by publication, for people.
SELECT id, seq, name, key, tenant, codec, payload, published_at, expires_at FROM jobs_event
WHERE name = ?1 AND seq > ?2 ORDER BY seq LIMIT ?3;
