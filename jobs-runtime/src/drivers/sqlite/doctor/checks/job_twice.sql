-- A job is in one place: live, ended or dead. A reader's snapshot.
SELECT lower(hex(id)) FROM (
  SELECT id FROM jobs_job UNION ALL SELECT id FROM jobs_ended UNION ALL SELECT id FROM jobs_dead)
WHERE ?1 IS NOT NULL GROUP BY id HAVING count(*) > 1 LIMIT ?2;
