-- What a parent was told of the end of a job that it joins: if a person has revived that since, it
-- is not its end any more. Detached children are told of once, and that stays. Writer's lock.
DELETE FROM jobs_inbox WHERE job = ?1 AND child = ?2 AND content LIKE '{"Child":%';
