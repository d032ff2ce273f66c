-- Settings that are gone. Under their locks.
DELETE FROM jobs.setting WHERE key = ANY ($1::text[]);
