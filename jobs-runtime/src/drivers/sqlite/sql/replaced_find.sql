-- The job that an enqueue of this id has given its input to. Under the writer's lock, so that the
-- same enqueue cannot be stored twice.
SELECT job, run_id FROM jobs_replaced WHERE id = ?1 AND until > ?2;
