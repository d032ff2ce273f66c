-- Who shall hear of the ends of jobs. Under the locks of their rows.
SELECT child, parent FROM jobs.told WHERE child = ANY ($1::uuid[]) ORDER BY child, parent;
