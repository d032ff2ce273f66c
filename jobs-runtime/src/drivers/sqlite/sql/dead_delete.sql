-- Takes a revived job out of here, in the transaction that makes it live again.
DELETE FROM jobs_dead WHERE id = ?1;
