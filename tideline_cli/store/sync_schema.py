"""The SQL of the tables that a memory which syncs has beside those of SCHEMA."""

from __future__ import annotations

SYNC_SCHEMA = """
-- The machines that hold this memory, as far as they are known: each is a replica.
CREATE TABLE sync_replica (
  number INTEGER PRIMARY KEY,
  id     TEXT NOT NULL UNIQUE,         -- 32 hexadecimal digits, by chance
  name   TEXT NOT NULL                 -- for people: that of the machine
) STRICT;

-- The places where replicas leave what they have for one another.
CREATE TABLE sync_place (
  number  INTEGER PRIMARY KEY,
  address TEXT NOT NULL UNIQUE,
  place   TEXT NOT NULL,               -- what the place calls itself; '' before the first meeting
  sealed  INTEGER NOT NULL,            -- 1: what lies there is encrypted
  vouched INTEGER NOT NULL,            -- 1: what lies there is the owner's word
  sent    INTEGER NOT NULL,            -- what has a version up to this lies there
  whole   INTEGER NOT NULL,            -- the version of the last snapshot of ours there
  whole_at INTEGER NOT NULL,           -- and when it was written
  segment INTEGER NOT NULL,            -- the number of our last segment there
  digest  TEXT NOT NULL,               -- and its SHA-256
  pending TEXT,                        -- JSON list of the digests that are being sent
  synced_at INTEGER NOT NULL           -- the last sync that came to its end; 0: none has
) STRICT;

-- How far the segments of each replica were read, in each place.
CREATE TABLE sync_stream (
  place   INTEGER NOT NULL REFERENCES sync_place (number) ON DELETE CASCADE,
  replica INTEGER NOT NULL REFERENCES sync_replica (number),
  segment INTEGER NOT NULL,
  digest  TEXT NOT NULL,
  stopped TEXT,                        -- why it is not read on, in words; NULL where it is
  PRIMARY KEY (place, replica)
) STRICT, WITHOUT ROWID;

-- What the replicas have said of a fact, beside what its row holds. Each field is a register, which
-- holds the value with the latest stamp: a time of a hybrid clock (48 bits of milliseconds, 16 of a
-- counter) and a replica. Fields without a stamp of their own have that of the birth.
CREATE TABLE sync_fact (
  id      TEXT PRIMARY KEY,
  origin  INTEGER NOT NULL,            -- 0 where the fact itself has not come yet
  clock   INTEGER NOT NULL,            -- of the birth
  replica INTEGER NOT NULL,            -- that has stated it
  version INTEGER NOT NULL,            -- when any of this became known here: a count of changes
  place   INTEGER NOT NULL,            -- from which the birth is known; 0: it was stated here
  alike   INTEGER NOT NULL,            -- a hash of place and text: of equal facts it is the same
  marks   TEXT,                        -- JSON: by field, clock, replica, version and place
  uses    TEXT,                        -- JSON: by replica, how often it has used it, and when said
  held    TEXT,                        -- JSON: registers that differ from the row of the fact
  ruled   TEXT,                        -- why the row differs: slot, same, kept, circle, purged
  by      TEXT                         -- and the id of the fact because of which it does
) STRICT, WITHOUT ROWID;
CREATE INDEX sync_fact_version ON sync_fact (version);
CREATE INDEX sync_fact_alike ON sync_fact (alike);
CREATE INDEX sync_fact_by ON sync_fact (by) WHERE by IS NOT NULL;

-- The same of edges, each by itself and directed.
CREATE TABLE sync_edge (
  source  TEXT NOT NULL,
  kind    TEXT NOT NULL,
  target  TEXT NOT NULL,
  clock   INTEGER NOT NULL,
  replica INTEGER NOT NULL,
  version INTEGER NOT NULL,
  place   INTEGER NOT NULL,
  present INTEGER NOT NULL,
  reason  TEXT,
  strength INTEGER,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (source, kind, target)
) STRICT, WITHOUT ROWID;
CREATE INDEX sync_edge_target ON sync_edge (target);
CREATE INDEX sync_edge_version ON sync_edge (version);

-- The ids of facts that were purged: a late copy is not stored again.
CREATE TABLE sync_purge (
  id      TEXT PRIMARY KEY,
  version INTEGER NOT NULL,
  place   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sync_purge_version ON sync_purge (version);

-- The batches that stamps belong to: who did what, and as which batch it is known here.
CREATE TABLE sync_batch (
  clock   INTEGER NOT NULL,
  replica INTEGER NOT NULL,
  number  INTEGER NOT NULL,            -- as its replica shows it
  origin  TEXT NOT NULL,
  verb    TEXT NOT NULL,
  at      INTEGER NOT NULL,
  version INTEGER NOT NULL,
  place   INTEGER NOT NULL,
  PRIMARY KEY (clock, replica)
) STRICT, WITHOUT ROWID;
CREATE INDEX sync_batch_version ON sync_batch (version);
"""
