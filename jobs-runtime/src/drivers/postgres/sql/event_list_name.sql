-- Events of a name by publication.
SELECT seq, id, name, key, tenant, published_at, expires_at, woken, codec, payload
FROM jobs.event WHERE name = $1 AND seq > $2 ORDER BY seq LIMIT $3;
