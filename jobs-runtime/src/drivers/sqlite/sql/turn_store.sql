-- Moves the turn, with the leases that were given in it. Under the writer's lock.
INSERT INTO jobs_turn (queue, priority, lane, served) VALUES (?1, ?2, ?3, ?4)
ON CONFLICT (queue, priority) DO UPDATE SET lane = excluded.lane, served = excluded.served;
