-- The records that asked for one job wait for another, which held its key. Same transaction as the
-- records; the lease was compared under the same lock.
UPDATE jobs_step SET child = ?3 WHERE job = ?1 AND child = ?2;
