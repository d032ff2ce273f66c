-- Who shall not hear of them any more.
DELETE FROM jobs.told t USING unnest($1::uuid[], $2::uuid[]) AS g (child, parent)
WHERE t.child = g.child AND t.parent = g.parent;
