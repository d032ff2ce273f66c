-- Removes marks that lie before every stored event they could tell of. It looks at a bounded
-- number of them, those that lie furthest back.
DELETE FROM jobs_mark WHERE (chain, event, key) IN (
  SELECT m.chain, m.event, m.key FROM jobs_mark m
  WHERE m.seq >= 0
    AND m.seq <= coalesce((
      SELECT b.seq FROM jobs_mark b WHERE b.seq >= 0 ORDER BY b.seq LIMIT 1 OFFSET ?1),
      9223372036854775807)
    AND NOT EXISTS (
      SELECT 1 FROM jobs_event e
      WHERE e.name = m.event AND e.seq <= m.seq AND (m.key = '' OR e.key = m.key)));
