-- The next number of a counter. Drawn under the writer's lock and committed with what takes it, so
-- numbers rise in the order in which they become visible.
UPDATE jobs_counter SET value = value + 1 WHERE name = ?1 RETURNING value;
