-- What a changed bit in an id leaves: a job and an input that have lost each other, or a record of
-- a job that is nowhere. Each row is whole by itself, and no index tells. One of the two without
-- the other is a row that somebody deleted by hand, and is not meant. Alone with the file.
SELECT CASE
  WHEN EXISTS (SELECT 1 FROM jobs_job j WHERE NOT EXISTS (
      SELECT 1 FROM jobs_spec s WHERE s.job = j.id))
    AND EXISTS (SELECT 1 FROM jobs_spec s WHERE NOT EXISTS (
      SELECT 1 FROM jobs_job j WHERE j.id = s.job))
  THEN 'a job and an input have lost each other'
  WHEN EXISTS (SELECT 1 FROM jobs_step t
    WHERE NOT EXISTS (SELECT 1 FROM jobs_job j WHERE j.id = t.job)
      AND NOT EXISTS (SELECT 1 FROM jobs_spec s WHERE s.job = t.job))
  THEN 'a record is of a job that is nowhere'
END;
