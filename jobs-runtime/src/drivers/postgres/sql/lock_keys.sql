-- Locks keys, taken or not, until the end of the transaction; in one order, so that two batches do
-- not wait for each other. What is read after this statement is as the holder before left it.
SELECT pg_advisory_xact_lock(place) FROM (
  SELECT DISTINCT hashtextextended('jobs.key/' || k.scope || '/' || k.key, 0) AS place
  FROM unnest($1::text[], $2::text[]) AS k (scope, key) ORDER BY 1 OFFSET 0) AS places;
