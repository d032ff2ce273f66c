-- The runs that wait for an event of these names with these keys, or with any. Under the locks of
-- the names.
SELECT DISTINCT w.job FROM unnest($1::text[], $2::text[]) AS e (name, key)
JOIN jobs.wait w ON w.event = e.name AND w.key IS NOT DISTINCT FROM e.key
ORDER BY w.job;
