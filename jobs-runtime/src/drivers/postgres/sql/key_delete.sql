-- Keys that are free again. Under their locks.
DELETE FROM jobs.key k USING unnest($1::text[], $2::text[]) AS g (scope, key)
WHERE k.scope = g.scope AND k.key = g.key;
