-- A live job with a key holds it, or follows its holder. A reader's snapshot.
SELECT lower(hex(id)) FROM jobs_job
WHERE ?1 IS NOT NULL AND key IS NOT NULL AND NOT EXISTS (
  SELECT 1 FROM jobs_key k WHERE k.scope = jobs_job.scope AND k.key = jobs_job.key
    AND (k.job = jobs_job.id OR k.next = jobs_job.id)) LIMIT ?2;
