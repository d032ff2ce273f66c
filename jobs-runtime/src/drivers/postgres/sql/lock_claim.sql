-- One claim at a time where limits and turns count: no lease is given elsewhere meanwhile.
SELECT pg_advisory_xact_lock(hashtextextended('jobs.claim', 0));
