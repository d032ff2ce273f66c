-- Keeps a key until an instant at least, whatever becomes of its holder. Writer's lock.
UPDATE jobs_key SET until = ?3 WHERE scope = ?1 AND key = ?2 AND (until IS NULL OR until < ?3);
