-- Removes ended jobs of one name and state beyond those that are kept, a bounded number at a time.
-- It walks over the kept ones in the index, and over nothing else. Writer's lock.
DELETE FROM jobs_ended WHERE id IN (
  SELECT id FROM jobs_ended WHERE name = ?1 AND state = ?2
  ORDER BY ended_at DESC, id DESC LIMIT ?4 OFFSET ?3);
