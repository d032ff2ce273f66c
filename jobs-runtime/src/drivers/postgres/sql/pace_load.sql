-- Where rates stand. Under the lock of the claims.
SELECT limited, pace FROM jobs.pace WHERE limited = ANY ($1::text[]);
