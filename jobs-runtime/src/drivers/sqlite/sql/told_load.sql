-- Who shall hear of a job's end. Read in the transaction that ends it.
SELECT parent FROM jobs_told WHERE child = ?1 ORDER BY parent;
