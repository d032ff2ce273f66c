-- Events by publication.
SELECT seq, id, name, key, tenant, published_at, expires_at, woken, codec, payload
FROM jobs.event WHERE seq > $1 ORDER BY seq LIMIT $2;
