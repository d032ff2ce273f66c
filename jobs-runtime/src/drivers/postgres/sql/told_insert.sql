-- Who shall hear of the ends of jobs whose rows are locked.
INSERT INTO jobs.told (child, parent)
SELECT * FROM unnest($1::uuid[], $2::uuid[]) ON CONFLICT DO NOTHING;
