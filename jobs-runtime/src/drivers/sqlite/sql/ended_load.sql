-- All that is kept of an ended job. Writers load it under their lock; readers from a snapshot.
SELECT body FROM jobs_ended WHERE id = ?1;
