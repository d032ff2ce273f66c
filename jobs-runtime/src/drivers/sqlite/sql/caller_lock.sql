-- Takes the write lock for a transaction of the caller's, and changes nothing. First of all: a
-- transaction that began without the lock and has read nothing yet gets it here with a fresh view,
-- and one that has read before fails here if somebody has written since.
UPDATE jobs_counter SET value = value WHERE name = '';
