-- A page, newest id first. A line that ends in "if" and a word belongs to that part of the filter.
SELECT body FROM jobs_dead
WHERE id < ?1
  AND queue = ?2 -- if queue
  AND name = ?3 -- if name
  AND state = ?4 -- if state
  AND tenant = ?5 -- if tenant
  AND key = ?6 -- if key
ORDER BY id DESC LIMIT ?7;
