-- Takes an ended job out of live storage, with all that hangs on it. Its archive row is written in
-- the same transaction, under the same lock.
DELETE FROM jobs_job WHERE id = ?1;
