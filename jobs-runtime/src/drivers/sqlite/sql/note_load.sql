-- The notes of a live job, to change a part of them. Writer's lock.
SELECT notes FROM jobs_note WHERE job = ?1;
