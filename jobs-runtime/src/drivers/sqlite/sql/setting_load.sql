-- One setting. Writers compare its revision under their lock.
SELECT value, revision FROM jobs_setting WHERE key = ?1;
