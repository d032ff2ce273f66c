-- Nothing was stored later than a minute from now. A reader's snapshot.
SELECT lower(hex(id)) FROM jobs_job WHERE enqueued_at > ?1 + 60000 LIMIT ?2;
