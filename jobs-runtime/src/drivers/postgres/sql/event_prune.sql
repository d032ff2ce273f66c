-- Events whose time to live is over.
DELETE FROM jobs.event WHERE seq IN (
  SELECT seq FROM jobs.event WHERE expires_at < $1 ORDER BY expires_at LIMIT $2);
