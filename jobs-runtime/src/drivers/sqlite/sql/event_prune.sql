-- Removes events that no wait can meet any more, a bounded number at a time. What was pinned of
-- them is in the inboxes.
DELETE FROM jobs_event WHERE seq IN (
  SELECT seq FROM jobs_event WHERE expires_at < ?1 ORDER BY expires_at LIMIT ?2);
