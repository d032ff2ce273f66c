-- Events by id.
SELECT seq, id, name, key, tenant, published_at, expires_at, woken, codec, payload
FROM jobs.event WHERE id = ANY ($1::uuid[]);
