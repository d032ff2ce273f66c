-- Who holds keys. Under their locks.
SELECT k.scope, k.key, k.job, k.run_id, k.until, k.span, k.next, k.next_run, k.next_from
FROM unnest($1::text[], $2::text[]) AS w (scope, key)
JOIN jobs.key k ON k.scope = w.scope AND k.key = w.key;
