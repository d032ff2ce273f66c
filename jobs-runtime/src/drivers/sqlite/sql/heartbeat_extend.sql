-- Extends a lease whose token was compared under the same lock. The revision stays: a heartbeat is
-- no change that a person must know of.
UPDATE jobs_job SET visible_at = ?2 WHERE id = ?1;
