-- Removes marks that lie before every stored event they could tell of. It looks at a bounded number
-- of them, those that lie furthest back.
DELETE FROM jobs.mark WHERE (chain, event, key) IN (
  SELECT m.chain, m.event, m.key FROM (
    SELECT * FROM jobs.mark ORDER BY seq LIMIT $1) AS m
  WHERE NOT EXISTS (
    SELECT 1 FROM jobs.event e
    WHERE e.name = m.event AND e.seq <= m.seq AND (m.key = '' OR e.key = m.key)));
