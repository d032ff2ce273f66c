-- Settings from a key on, sorted; the reader stops at the first that lacks its prefix.
SELECT key, value, revision FROM jobs.setting WHERE key >= $1 ORDER BY key LIMIT $2;
