-- An event of this id: a publish that arrives twice is one event. Writer's lock.
SELECT seq, woken FROM jobs_event WHERE id = ?1;
