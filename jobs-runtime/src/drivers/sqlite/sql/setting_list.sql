-- Settings from a key on, sorted; the reader stops at the first that lacks its prefix. A reader's
-- snapshot.
SELECT key, value, revision FROM jobs_setting WHERE key >= ?1 ORDER BY key LIMIT ?2;
