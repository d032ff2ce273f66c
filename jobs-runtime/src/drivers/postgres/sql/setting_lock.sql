-- Locks settings, there or not, until the end of the transaction: their revisions are compared
-- under it.
SELECT pg_advisory_xact_lock(place) FROM (
  SELECT DISTINCT hashtextextended('jobs.setting/' || s.key, 0) AS place
  FROM unnest($1::text[]) AS s (key) ORDER BY 1 OFFSET 0) AS places;
