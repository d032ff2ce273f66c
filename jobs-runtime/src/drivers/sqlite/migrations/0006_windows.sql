-- Windows of keys: for how long each run that gets the key keeps it from its start on, where two
-- must not start closer together.
ALTER TABLE jobs_key ADD COLUMN span INTEGER;
