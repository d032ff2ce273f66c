-- Frees the key of an ended job, if it is still its own and not kept for longer. Writer's lock.
DELETE FROM jobs_key
WHERE scope = ?1 AND key = ?2 AND job = ?3 AND (until IS NULL OR until <= ?4);
