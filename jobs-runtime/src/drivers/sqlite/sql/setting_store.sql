-- Writes a setting whose revision was compared under the same lock.
INSERT INTO jobs_setting (key, value, revision) VALUES (?1, ?2, ?3)
ON CONFLICT (key) DO UPDATE SET value = excluded.value, revision = excluded.revision;
