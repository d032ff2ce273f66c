-- Events, under the locks of their names.
INSERT INTO jobs.event (
  seq, id, name, key, tenant, published_at, expires_at, woken, codec, payload)
SELECT * FROM unnest(
  $1::bigint[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::bigint[],
  $8::bigint[], $9::integer[], $10::bytea[]);
