-- All that is kept of an ended job. Writers load it under their lock; readers from a snapshot.
SELECT body FROM jobs_dead WHERE id = ?1;
