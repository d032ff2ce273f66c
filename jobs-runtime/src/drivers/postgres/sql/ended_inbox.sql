-- All that was pinned to ended jobs, as rows.
SELECT i.job, i.seq, i.content
FROM jobs.ended e, json_populate_recordset(NULL::jobs.inbox, e.inbox) i
WHERE e.id = ANY ($1::uuid[]) AND e.inbox IS NOT NULL ORDER BY i.job, i.seq;
