-- Removes ended jobs of one name and state beyond those that are kept, a bounded number at a time;
-- none that ended at a time or after it. It walks over those that stay in the index, and over nothing
-- else. Writer's lock.
DELETE FROM jobs_ended WHERE id IN (
  SELECT id FROM (
    SELECT id, ended_at FROM jobs_ended WHERE name = ?1 AND state = ?2
    ORDER BY ended_at DESC, id DESC LIMIT -1 OFFSET ?3)
  WHERE ended_at < ?5 LIMIT ?4);
