-- Lines at the ends of logs, in their order.
INSERT INTO jobs.log (job, at, text)
SELECT job, at, text FROM unnest($1::uuid[], $2::bigint[], $3::text[])
  WITH ORDINALITY AS l (job, at, text, place)
ORDER BY place;
