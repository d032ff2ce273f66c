-- Moves a rate on, with the leases that were given under it. Under the writer's lock.
INSERT INTO jobs_pace (limited, pace) VALUES (?1, ?2)
ON CONFLICT (limited) DO UPDATE SET pace = excluded.pace;
