-- Lines a job up behind the holder of its key. Writer's lock, which has shown that nobody stands
-- there.
UPDATE jobs_key SET next = ?3, next_run = ?4, next_from = ?5,
  until = CASE WHEN ?6 IS NULL OR until > ?6 THEN until ELSE ?6 END
WHERE scope = ?1 AND key = ?2;
