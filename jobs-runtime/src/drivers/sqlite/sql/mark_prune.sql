-- Removes marks that lie before every stored event they could tell of. It looks at a bounded
-- number of them, those that lie furthest back.
DELETE FROM jobs_mark WHERE (chain, event, key) IN (
  SELECT chain, event, key
  FROM (SELECT chain, event, key, seq FROM jobs_mark WHERE seq >= 0 ORDER BY seq LIMIT ?1) m
  WHERE NOT EXISTS (
    SELECT 1 FROM jobs_event e
    WHERE e.name = m.event AND e.seq <= m.seq AND (m.key = '' OR e.key = m.key)));
