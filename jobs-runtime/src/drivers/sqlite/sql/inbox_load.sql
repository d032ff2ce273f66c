-- All that was pinned to a live run, consumed or not.
SELECT seq, content FROM jobs_inbox WHERE job = ?1 ORDER BY seq;
