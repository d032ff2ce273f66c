-- Locks the names of events for registering waits: many may do so at once, but no publish.
SELECT pg_advisory_xact_lock_shared(place) FROM (
  SELECT DISTINCT hashtextextended('jobs.event/' || n.name, 0) AS place
  FROM unnest($1::text[]) AS n (name) ORDER BY 1 OFFSET 0) AS places;
