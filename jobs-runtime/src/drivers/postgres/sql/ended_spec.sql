-- The same of ended jobs.
SELECT id, codec, input, rest FROM jobs.ended WHERE id = ANY ($1::uuid[]);
