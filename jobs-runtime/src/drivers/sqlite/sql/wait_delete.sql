-- Takes back the wait of a record that was delivered or changed. Writer's lock.
DELETE FROM jobs_wait WHERE job = ?1 AND step = ?2;
