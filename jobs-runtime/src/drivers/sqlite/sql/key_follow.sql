-- Lines a job up behind the holder of its key, or moves the place of the one that stands there.
-- Writer's lock.
UPDATE jobs_key SET next = ?3, next_run = ?4, next_from = ?5, span = coalesce(?6, span)
WHERE scope = ?1 AND key = ?2;
