-- The children of a parent, which are cancelled with it.
CREATE INDEX jobs_spec_parent ON jobs_spec (parent_job) WHERE parent_job IS NOT NULL;
