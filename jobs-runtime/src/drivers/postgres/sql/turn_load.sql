-- Whose turn it is. Under the lock of the claims.
SELECT t.queue, t.priority, t.lane, t.served FROM unnest($1::text[], $2::smallint[]) AS w (queue, priority)
JOIN jobs.turn t ON t.queue = w.queue AND t.priority = w.priority;
