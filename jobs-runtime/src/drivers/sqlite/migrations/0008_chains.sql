-- Chains: runs of which each goes on as the next one are one consumer of events.

-- The first run of the chain that a run belongs to, and from when on its waits take events.
ALTER TABLE jobs_spec ADD COLUMN chain BLOB;
ALTER TABLE jobs_spec ADD COLUMN chain_since INTEGER;

-- How far the ended runs of a chain have come with the events of a name: up to this publication,
-- those of a key for waits with one, and those of any key ('') for waits without. It goes when no
-- event is stored any more that it could tell of.
CREATE TABLE jobs_mark (
  chain BLOB NOT NULL CHECK (length(chain) = 16),
  event TEXT NOT NULL,
  key TEXT NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY (chain, event, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX jobs_mark_seq ON jobs_mark (seq);
