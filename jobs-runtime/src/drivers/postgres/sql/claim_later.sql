-- When the first row of each strip becomes visible that is not so yet; the earliest of them.
SELECT min(l.visible_at)
FROM unnest($1::text[], $2::smallint[], $3::text[], $4::text[]) AS s (queue, priority, lane, state)
CROSS JOIN LATERAL (
  SELECT j.visible_at FROM jobs.job j
  WHERE j.visible_at IS NOT NULL AND j.queue = s.queue AND j.priority = s.priority
    AND j.lane = s.lane AND j.state = s.state AND j.visible_at > $5
  ORDER BY j.visible_at LIMIT 1) AS l;
