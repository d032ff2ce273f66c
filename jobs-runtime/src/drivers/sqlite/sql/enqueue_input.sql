-- The input of a live job, to say whether an enqueue that found it wanted another. Writer's lock.
SELECT codec, input FROM jobs_spec WHERE job = ?1;
