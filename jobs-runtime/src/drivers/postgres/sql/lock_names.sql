-- Locks the names of events for a publish: a wait is registered wholly before or wholly after it.
SELECT pg_advisory_xact_lock(place) FROM (
  SELECT DISTINCT hashtextextended('jobs.event/' || n.name, 0) AS place
  FROM unnest($1::text[]) AS n (name) ORDER BY 1 OFFSET 0) AS places;
