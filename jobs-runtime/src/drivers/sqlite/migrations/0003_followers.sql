-- A job that follows the holder of a key, what cleans up after a cancelled job, and where the
-- records of a fork come from.

-- The follower gets the key when the holder has ended, and does not run before `next_from`.
ALTER TABLE jobs_key ADD COLUMN next BLOB;
ALTER TABLE jobs_key ADD COLUMN next_run BLOB;
ALTER TABLE jobs_key ADD COLUMN next_from INTEGER;

-- JSON; most jobs have none.
ALTER TABLE jobs_spec ADD COLUMN on_cancel TEXT;

-- The run that delivered a record which a fork has copied.
ALTER TABLE jobs_step ADD COLUMN copied_from BLOB;
