-- What is written as JSON reads as JSON. A reader's snapshot.
SELECT place FROM (
  SELECT 'jobs_spec ' || lower(hex(job)) AS place, labels AS text FROM jobs_spec
  UNION ALL SELECT 'jobs_note ' || lower(hex(job)), notes FROM jobs_note
  UNION ALL SELECT 'jobs_step ' || lower(hex(job)) || ' ' || name, coalesce(wait, '{}') FROM jobs_step
  UNION ALL SELECT 'jobs_inbox ' || lower(hex(job)), content FROM jobs_inbox
  UNION ALL SELECT 'jobs_ended ' || lower(hex(id)), body FROM jobs_ended
  UNION ALL SELECT 'jobs_dead ' || lower(hex(id)), body FROM jobs_dead)
WHERE ?1 IS NOT NULL AND NOT json_valid(text) LIMIT ?2;
