-- Moves a row that cannot be read out of the way for a while, so that it stops nobody else.
-- Writer's lock.
UPDATE jobs_job SET visible_at = ?2 WHERE id = ?1;
