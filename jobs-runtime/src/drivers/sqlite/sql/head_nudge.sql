-- Says that something was pinned. The row was loaded under the same writer's lock.
UPDATE jobs_job SET nudge = ?2, revision = ?3, visible_at = ?4 WHERE id = ?1;
