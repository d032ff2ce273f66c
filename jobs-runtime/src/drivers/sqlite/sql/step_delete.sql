-- Removes a record, and with it its registered wait. The lease or revision was compared under the
-- same lock.
DELETE FROM jobs_step WHERE job = ?1 AND name = ?2;
