-- Whose turn it is. Under the writer's lock, so no other claim moves it meanwhile.
SELECT lane, served FROM jobs_turn WHERE queue = ?1 AND priority = ?2;
