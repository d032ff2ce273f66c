-- Ended jobs by definition, state and end, so that retention seeks what goes and never walks over
-- what stays.
CREATE INDEX jobs_ended_kept ON jobs_ended (name, state, ended_at, id);
