-- Rates whose starts are all paid for say the same as none.
DELETE FROM jobs.pace WHERE limited IN (
  SELECT limited FROM jobs.pace WHERE pace < $1 ORDER BY pace LIMIT $2);
