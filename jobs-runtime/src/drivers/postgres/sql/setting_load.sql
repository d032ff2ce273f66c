-- Settings by key.
SELECT key, value, revision FROM jobs.setting WHERE key = ANY ($1::text[]);
