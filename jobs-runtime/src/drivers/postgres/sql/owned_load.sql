-- The live children of jobs. Under the locks of the parents' rows, without which none is enqueued.
SELECT parent_job, id FROM jobs.job WHERE parent_job = ANY ($1::uuid[]) ORDER BY parent_job, id;
