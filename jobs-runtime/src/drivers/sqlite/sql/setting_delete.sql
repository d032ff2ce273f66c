-- Removes a setting whose revision was compared under the same lock.
DELETE FROM jobs_setting WHERE key = ?1;
