-- Rates whose starts are all paid for say the same as none. Under the writer's lock.
DELETE FROM jobs_pace WHERE limited IN (
  SELECT limited FROM jobs_pace WHERE pace < ?1 ORDER BY pace LIMIT ?2);
