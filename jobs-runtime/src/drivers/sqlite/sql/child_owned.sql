-- The live children that a job owns. In the transaction that cancels it, so that none is enqueued
-- meanwhile.
SELECT job FROM jobs_spec WHERE parent_job = ?1 ORDER BY job;
