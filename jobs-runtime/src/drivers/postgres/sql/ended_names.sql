-- The durable names of ended jobs: a seek for each.
WITH RECURSIVE found (name) AS (
  (SELECT name FROM jobs.ended ORDER BY name LIMIT 1)
  UNION ALL
  SELECT (SELECT j.name FROM jobs.ended j WHERE j.name > f.name ORDER BY j.name LIMIT 1)
  FROM found f WHERE f.name IS NOT NULL)
SELECT name FROM found WHERE name IS NOT NULL LIMIT $1;
