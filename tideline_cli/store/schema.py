"""The schema, a commented SQL text, and its version; docs/internals/storage-format.md lists it."""

from __future__ import annotations

from tideline_cli import store
from tideline_cli.model.text import WITH_FORMS

VERSION = store.SCHEMA_VERSION
APPLICATION_ID = store.APPLICATION_ID

SCHEMA = """
-- Settings that belong to the file and not to a user: which analyser made the terms, which
-- embedder makes the vectors, and which generation of its content this is.
CREATE TABLE setting (
  name  TEXT PRIMARY KEY NOT NULL,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Whose memory: number 1 is the owner, every other row one channel session.
CREATE TABLE origin (
  number INTEGER PRIMARY KEY,
  key    TEXT NOT NULL UNIQUE        -- 'owner' or 'channel:CHANNEL/CONVERSATION/SESSION[@ACCOUNT]'
) STRICT;

-- One remembered fact. The text never changes in place: an edit is a new fact that supersedes.
-- Times are milliseconds since 1970, UTC.
CREATE TABLE fact (
  seq          INTEGER PRIMARY KEY AUTOINCREMENT,  -- order of arrival; never shown, never reused
  id           TEXT NOT NULL UNIQUE,               -- the ULID that users see
  origin       INTEGER NOT NULL REFERENCES origin (number),
  created_at   INTEGER NOT NULL,
  lifecycle    TEXT NOT NULL DEFAULT 'active',     -- active, archived, pruned
  segment      TEXT NOT NULL,
  tier         TEXT NOT NULL,                      -- durability: short, long, permanent
  heat         TEXT NOT NULL,                      -- temperature: core, working, peripheral
  importance   REAL NOT NULL,
  decay_rate   REAL,                               -- NULL is that of the segment
  source       TEXT NOT NULL,                      -- who said it
  confidence   REAL,
  status       TEXT,                               -- asserted, provisional, confirmed, ...
  slot         TEXT,                               -- facts of one slot replace one another
  valid_from   INTEGER,
  valid_to     INTEGER,                            -- exclusive
  pinned       INTEGER NOT NULL DEFAULT 0,
  kind         TEXT,
  title        TEXT,
  source_turn  TEXT,
  tags         TEXT,                               -- JSON list
  derived_from TEXT,                               -- JSON list of ids
  metadata     TEXT,                               -- JSON object
  length       INTEGER NOT NULL,                   -- number of index terms
  content      TEXT NOT NULL,
  terms        TEXT NOT NULL,                      -- index terms, joined by spaces
  digest       INTEGER,                            -- of words and labels: see store/writes.py
  scope        TEXT,                               -- where it matters, such as a/b; NULL: all over
  session      TEXT,                               -- the conversation that it was said in
  turn         INTEGER,                            -- its place in the session
  speaker      TEXT,
  role         TEXT,                               -- who spoke: user, assistant, system, tool
  document     TEXT,                               -- the document that it is a chunk of
  agent        TEXT,                               -- which program wrote it
  progress     TEXT,                               -- of work: active, blocked, done
  statement    TEXT                                -- JSON object: what was said of a slot's value
) STRICT;

CREATE INDEX fact_slot ON fact (origin, slot, lifecycle) WHERE slot IS NOT NULL;

-- The scopes that there are, and how many facts each has.
CREATE INDEX fact_scope ON fact (origin, scope) WHERE scope IS NOT NULL AND lifecycle = 'active';

-- The turns of a session in order: the facts of a session, and what was said before and after. Also
-- whether an origin has a fact that somebody is named for.
CREATE INDEX fact_session ON fact (origin, session, turn)
  WHERE session IS NOT NULL OR speaker IS NOT NULL;

-- The chunks of a document in order, and whether an origin has any.
CREATE INDEX fact_document ON fact (origin, document, turn)
  WHERE document IS NOT NULL AND lifecycle = 'active';

-- Active facts about work, by kind: constraints and open tasks.
CREATE INDEX fact_work ON fact (origin, kind, progress)
  WHERE progress IS NOT NULL AND lifecycle = 'active';

-- Active facts that are not valid for ever: BM25 takes those out of its statistics that do not
-- hold at the moment of the question.
CREATE INDEX fact_ends ON fact (origin, valid_to)
  WHERE valid_to IS NOT NULL AND lifecycle = 'active';
CREATE INDEX fact_begins ON fact (origin, valid_from)
  WHERE valid_from IS NOT NULL AND lifecycle = 'active';

-- Active facts by the day that they speak of, if they speak of one.
CREATE INDEX fact_day ON fact (origin, (metadata ->> 'day'))
  WHERE metadata ->> 'day' IS NOT NULL AND lifecycle = 'active';

-- The facts of an origin by their time, active ones and the others apart. `origin + 0` keeps both
-- for those who ask for them by name: whoever reads most of an origin goes through the table.
CREATE INDEX fact_active ON fact (origin + 0, created_at) WHERE lifecycle = 'active';
CREATE INDEX fact_inactive ON fact (origin + 0, created_at) WHERE lifecycle <> 'active';

-- How many facts an origin has of each kind, for status: all of them, whatever their lifecycle.
-- `octets` is what their texts and terms take.
CREATE TABLE census (
  origin    INTEGER NOT NULL REFERENCES origin (number),
  lifecycle TEXT NOT NULL,
  segment   TEXT NOT NULL,
  tier      TEXT NOT NULL,
  heat      TEXT NOT NULL,
  source    TEXT NOT NULL,
  pinned    INTEGER NOT NULL,
  scope     TEXT NOT NULL,             -- '' is none
  facts     INTEGER NOT NULL,
  octets    INTEGER NOT NULL,
  PRIMARY KEY (origin, lifecycle, segment, tier, heat, source, pinned, scope)
) STRICT, WITHOUT ROWID;

-- How many active facts of an origin were made in each hour since 1970, and their terms.
CREATE TABLE arrival (
  origin INTEGER NOT NULL REFERENCES origin (number),
  hour   INTEGER NOT NULL,
  facts  INTEGER NOT NULL,
  tokens INTEGER NOT NULL,
  PRIMARY KEY (origin, hour)
) STRICT, WITHOUT ROWID;

-- Active facts and their terms by origin and source: N and the mean length of BM25.
CREATE TABLE tally (
  origin INTEGER NOT NULL REFERENCES origin (number),
  source TEXT NOT NULL,
  facts  INTEGER NOT NULL,
  tokens INTEGER NOT NULL,
  PRIMARY KEY (origin, source)
) STRICT, WITHOUT ROWID;

-- In how many of an origin's facts that are no longer active a term occurs. The index keeps those
-- facts (they answer questions about the past); BM25 takes them out of its statistics.
CREATE TABLE archived_term (
  origin INTEGER NOT NULL REFERENCES origin (number),
  term   TEXT NOT NULL,
  facts  INTEGER NOT NULL,
  PRIMARY KEY (origin, term)
) STRICT, WITHOUT ROWID;

-- The active facts of an origin that did not hold at the instant `at`, ended or not begun, and
-- their terms: what BM25 takes out of the above. Kept by triggers for that instant; what begins or
-- ends between it and the moment of a question is read. An origin without a row has no such fact.
CREATE TABLE lapsed (
  origin INTEGER PRIMARY KEY REFERENCES origin (number),
  at     INTEGER NOT NULL,
  facts  INTEGER NOT NULL,
  tokens INTEGER NOT NULL
) STRICT;
CREATE TABLE lapsed_term (
  origin INTEGER NOT NULL REFERENCES origin (number),
  term   TEXT NOT NULL,
  facts  INTEGER NOT NULL,
  PRIMARY KEY (origin, term)
) STRICT, WITHOUT ROWID;

-- The words of a fact's title, tags, slot and kind that its text does not hold, as index terms:
-- derived. A fact without such labels has no row. Which rows a fact has is known from its labels,
-- so there is no index by fact, and nothing that removes them with it: store/labels.py does.
CREATE TABLE label_term (
  origin INTEGER NOT NULL REFERENCES origin (number),
  term   TEXT NOT NULL,
  fact   INTEGER NOT NULL,             -- fact.seq
  size   INTEGER NOT NULL,             -- how many terms the labels of the fact have
  PRIMARY KEY (origin, term, fact)
) STRICT, WITHOUT ROWID;

-- What the full-text index holds. Terms of the owner's facts stand bare, those of other origins
-- carry the origin's number ('7_deploy'). So each origin has posting lists of its own: neither its
-- statistics nor the time of its queries depend on what others store.
CREATE VIEW fact_index (seq, terms) AS
SELECT seq,
       {index_of}
FROM fact;

CREATE VIRTUAL TABLE fact_fts USING fts5 (
  terms, content = 'fact_index', content_rowid = 'seq', columnsize = 0, detail = 'none',
  tokenize = "ascii tokenchars '_'"
);
INSERT INTO fact_fts (fact_fts, rank) VALUES ('secure-delete', 1);
-- Two segments of a size become one, where FTS5 would wait for four: a smaller file and fewer
-- places to look at, for as much work a write.
INSERT INTO fact_fts (fact_fts, rank) VALUES ('automerge', 2);

-- The facts that hold a term: SELECT doc FROM fact_vocabulary WHERE term = 'deploy'.
CREATE VIRTUAL TABLE fact_vocabulary USING fts5vocab (fact_fts, row);

-- What is counted of a fact. A row that is put in here is not stored: the counts above get `sign`
-- more facts, 1 or -1. A count that falls to nothing goes: nothing tells that there was such a
-- fact.
CREATE VIEW counted AS SELECT 1 AS sign, 0 AS later, {counted}, {octets} AS octets FROM fact;
-- A load counts its new facts `later`, by one statement a table: see store/bulk_inserts.py.
CREATE TRIGGER fact_counted INSTEAD OF INSERT ON counted WHEN NOT new.later BEGIN
  INSERT INTO census VALUES ({new_key}, new.sign, new.sign * new.octets)
    ON CONFLICT DO UPDATE SET facts = facts + excluded.facts, octets = octets + excluded.octets;
  DELETE FROM census WHERE new.sign < 0 AND ({key}) = ({new_key}) AND facts = 0;
  INSERT INTO arrival SELECT new.origin, {new_hour}, new.sign, new.sign * new.length
    WHERE new.lifecycle = 'active'
    ON CONFLICT DO UPDATE SET facts = facts + excluded.facts, tokens = tokens + excluded.tokens;
  DELETE FROM arrival
    WHERE new.sign < 0 AND origin = new.origin AND hour = {new_hour} AND facts = 0;
  INSERT INTO tally SELECT new.origin, new.source, new.sign, new.sign * new.length
    WHERE new.lifecycle = 'active'
    ON CONFLICT DO UPDATE SET facts = facts + excluded.facts, tokens = tokens + excluded.tokens;
END;
-- The terms of facts that are not active, or do not hold; a purge removes those of which none is
-- left. At an instant that the origin's first
-- fact with a time was written at, no other has to be counted.
CREATE TRIGGER fact_terms_counted INSTEAD OF INSERT ON counted WHEN {new_is_apart} BEGIN
  INSERT INTO archived_term SELECT new.origin, value, new.sign FROM {each_new_term}
    WHERE new.lifecycle <> 'active' AND value <> '' GROUP BY value
    ON CONFLICT DO UPDATE SET facts = facts + excluded.facts;
  INSERT INTO lapsed
    SELECT new.origin, ifnull((SELECT at FROM batch WHERE open > 0), new.created_at), 0, 0
    WHERE new.sign > 0 AND new.lifecycle = 'active' ON CONFLICT DO NOTHING;
  UPDATE lapsed SET facts = facts + new.sign, tokens = tokens + new.sign * new.length
    WHERE {new_lapsed};
  INSERT INTO lapsed_term SELECT new.origin, value, new.sign FROM lapsed, {each_new_term}
    WHERE {new_lapsed} AND value <> '' GROUP BY value
    ON CONFLICT DO UPDATE SET facts = facts + excluded.facts;
END;
CREATE TRIGGER fact_counting AFTER INSERT ON fact WHEN {open} < 3 OR {new_is_apart} BEGIN
  INSERT INTO counted VALUES (1, {open} > 2, {new_counted});
END;

-- Many that are deleted at once are taken out of the index by making it anew. Only a new analyser
-- changes the terms of a fact.
CREATE TRIGGER fact_unindexed BEFORE DELETE ON fact WHEN {open} = 1 BEGIN
  INSERT INTO fact_fts (fact_fts, rowid, terms)
    SELECT 'delete', seq, terms FROM fact_index WHERE seq = old.seq;
END;
CREATE TRIGGER fact_reindexing BEFORE UPDATE OF seq, origin, terms ON fact WHEN {retermed} BEGIN
  INSERT INTO fact_fts (fact_fts, rowid, terms)
    SELECT 'delete', seq, terms FROM fact_index WHERE seq = old.seq;
END;
CREATE TRIGGER fact_changed AFTER UPDATE OF
{watched} ON fact
BEGIN
  INSERT INTO fact_fts (rowid, terms)
    SELECT seq, terms FROM fact_index WHERE seq = new.seq AND ({retermed});
  INSERT INTO counted VALUES (-1, 0, {old_counted});
  INSERT INTO counted VALUES (1, 0, {new_counted});
  INSERT OR IGNORE INTO unpaired SELECT new.seq FROM near_progress
    WHERE origin = new.origin AND seq >= new.seq
      AND new.lifecycle = 'active' AND old.lifecycle <> 'active';
END;

-- How often and when a fact was last recalled or reinforced. Apart from fact, so that reading
-- stays out of its history; a fact without a row was never used since it was created.
CREATE TABLE usage (
  fact             INTEGER PRIMARY KEY REFERENCES fact (seq) ON DELETE CASCADE,
  access_count     INTEGER NOT NULL,
  last_accessed_at INTEGER NOT NULL
) STRICT;

-- When `context` last gave a fact out, to a program that asked for it. Apart from usage: it keeps a
-- fact from fading for a while, and moves neither its strength nor its rank.
CREATE TABLE given (
  fact INTEGER PRIMARY KEY REFERENCES fact (seq) ON DELETE CASCADE,
  at   INTEGER NOT NULL
) STRICT;

-- The facts of an origin that fade soonest, and when, as its last dream foresaw: derived, so that
-- `status` need not look at all facts. What was used since is weighed anew.
CREATE TABLE fade (
  fact   INTEGER PRIMARY KEY REFERENCES fact (seq) ON DELETE CASCADE,
  origin INTEGER NOT NULL REFERENCES origin (number),
  at     INTEGER NOT NULL
) STRICT;
CREATE INDEX fade_of ON fade (origin, at);

-- Typed edges between facts of one origin. Two edges that are made together are one row: `succeeds`
-- is contradicts and transition, `replaces` is supersedes and transition.
CREATE TABLE link (
  number     INTEGER PRIMARY KEY AUTOINCREMENT,  -- never reused: the journal tells edges by it
  from_fact  INTEGER NOT NULL REFERENCES fact (seq) ON DELETE CASCADE,
  to_fact    INTEGER NOT NULL REFERENCES fact (seq) ON DELETE CASCADE,
  kind       TEXT NOT NULL,
  reason     TEXT,
  strength   INTEGER,
  created_at INTEGER NOT NULL,
  UNIQUE (from_fact, to_fact, kind)
) STRICT;
CREATE INDEX link_to ON link (to_fact);

-- The journal. A batch is one command or one pass; `open` marks the one that is being written: 1,
-- or 2 when it is a bulk that indexes its facts itself before it commits, or 3 when it is a load
-- that counts its new facts itself too, or 4 while that stores facts whose births it tells itself.
CREATE TABLE batch (
  number  INTEGER PRIMARY KEY,
  origin  INTEGER NOT NULL REFERENCES origin (number),
  ordinal INTEGER NOT NULL,            -- the number that users see: batches count per origin
  at      INTEGER NOT NULL,
  verb    TEXT NOT NULL,
  outcome TEXT NOT NULL DEFAULT 'done', -- done, blocked
  reason  TEXT,                         -- why it was blocked, or what a pass did
  open    INTEGER NOT NULL DEFAULT 0,
  first   INTEGER NOT NULL DEFAULT 0,   -- its changes have this number or a higher one
  undoes  INTEGER,                      -- the batch that it took back, by number
  whole   INTEGER NOT NULL DEFAULT 0,   -- 1: a pass that went through all it does, to its end
  last    INTEGER NOT NULL DEFAULT 0,   -- its changes have this number or a lower one
  UNIQUE (origin, ordinal)
) STRICT;
CREATE INDEX batch_open ON batch (number) WHERE open > 0;

-- Passes that archived facts while nobody looked: told once, in the next command on a terminal.
CREATE TABLE notice (
  origin INTEGER NOT NULL REFERENCES origin (number),
  batch  INTEGER NOT NULL REFERENCES batch (number),
  facts  INTEGER NOT NULL,
  PRIMARY KEY (origin, batch)
) STRICT, WITHOUT ROWID;

-- What a batch did to the facts and edges of an origin, counted when it closes.
CREATE TABLE batch_count (
  batch    INTEGER NOT NULL,
  origin   INTEGER NOT NULL,           -- of the facts; a batch of the owner may reach others
  added    INTEGER NOT NULL,           -- facts
  changed  INTEGER NOT NULL,
  removed  INTEGER NOT NULL,
  archived INTEGER NOT NULL,           -- of the changed ones: those that were active before
  linked   INTEGER NOT NULL,           -- edges
  relinked INTEGER NOT NULL,
  unlinked INTEGER NOT NULL,
  used     INTEGER NOT NULL,           -- changes of use
  turns    INTEGER NOT NULL DEFAULT 0, -- of sessions: shown or hidden
  PRIMARY KEY (batch, origin)
) STRICT, WITHOUT ROWID;

-- What a batch changed: act + (inserted), ~ (updated), - (deleted). `before` holds the old row as
-- JSON, NULL for an insert; of a fact that is updated, only the values that change. The new row is
-- the row before the next change, or the row itself: so the row before an update is `before` laid
-- over the row after it. A change made outside of tideline has batch 0.
-- The image of a fact that gives way to another, by far the commonest, is stored as ''.
-- A load tells the births of facts of one origin that came in a row by one row, a run: `row` is the
-- last of them, `after` the first. They have the numbers up to `number`, one each, so a run is read
-- as that many changes of `fact`. The birth in a run is the first change of its fact.
CREATE TABLE change (
  number INTEGER PRIMARY KEY,
  batch  INTEGER NOT NULL,
  entity TEXT NOT NULL,                -- fact, link, usage; facts: a run
  row    INTEGER NOT NULL,             -- fact.seq, link.number, usage.fact
  act    TEXT NOT NULL,
  image  TEXT,                         -- `before`, as it is stored
  after  TEXT,                         -- of usage: recall changes it without a trace; of a run
  before TEXT AS (iif(image = '', '{usual}', image))
) STRICT;
CREATE INDEX change_row ON change (row);
-- The runs, by their last fact: few, and disjoint.
CREATE INDEX change_run ON change (row) WHERE entity = 'facts';
-- The edges that were changed or removed: few, and the life of a fact asks for those it had.
CREATE INDEX change_edge ON change (row) WHERE entity = 'link' AND before IS NOT NULL;

-- Many new facts at once are indexed by one statement at the end: row by row, each insert makes
-- the index write what it has gathered (29 against 4 µs a fact).
-- What a load stores comes after all that was ever compared, so none of it is unpaired.
CREATE TRIGGER fact_inserted AFTER INSERT ON fact WHEN {open} < 4 BEGIN
  INSERT INTO change (batch, entity, row, act)
    VALUES (ifnull((SELECT number FROM batch WHERE open > 0), 0), 'fact', new.seq, '+');
  INSERT INTO fact_fts (rowid, terms)
    SELECT seq, terms FROM fact_index WHERE seq = new.seq AND {open} = 1;
  INSERT OR IGNORE INTO unpaired SELECT new.seq FROM near_progress
    WHERE origin = new.origin AND seq >= new.seq;
END;
CREATE TRIGGER fact_updated AFTER UPDATE OF
{journalled} ON fact
BEGIN
  INSERT INTO change (batch, entity, row, act, image)
    VALUES (ifnull((SELECT number FROM batch WHERE open > 0), 0), 'fact', old.seq, '~',
            {old_values});
END;
CREATE TRIGGER fact_deleted AFTER DELETE ON fact BEGIN
  INSERT INTO change (batch, entity, row, act, image)
    VALUES (ifnull((SELECT number FROM batch WHERE open > 0), 0), 'fact', old.seq, '-', {old_fact});
  INSERT INTO counted VALUES (-1, 0, {old_counted});
END;
CREATE TRIGGER link_inserted AFTER INSERT ON link BEGIN
  INSERT INTO change (batch, entity, row, act)
    VALUES (ifnull((SELECT number FROM batch WHERE open > 0), 0), 'link', new.number, '+');
END;
CREATE TRIGGER link_updated AFTER UPDATE ON link BEGIN
  INSERT INTO change (batch, entity, row, act, image)
    VALUES (ifnull((SELECT number FROM batch WHERE open > 0), 0), 'link', old.number, '~',
            {old_link});
END;
CREATE TRIGGER link_deleted AFTER DELETE ON link BEGIN
  INSERT INTO change (batch, entity, row, act, image)
    VALUES (ifnull((SELECT number FROM batch WHERE open > 0), 0), 'link', old.number, '-',
            {old_link});
END;
-- Use is history only when a batch makes it (reinforcement, feedback, import), not when recall
-- does.
CREATE TRIGGER usage_inserted AFTER INSERT ON usage BEGIN
  INSERT INTO change (batch, entity, row, act, after)
    SELECT number, 'usage', new.fact, '+', {new_usage} FROM batch WHERE open > 0;
END;
CREATE TRIGGER usage_updated AFTER UPDATE ON usage BEGIN
  INSERT INTO change (batch, entity, row, act, image, after)
    SELECT number, 'usage', old.fact, '~', {old_usage}, {new_usage} FROM batch WHERE open > 0;
END;
CREATE TRIGGER usage_deleted AFTER DELETE ON usage BEGIN
  INSERT INTO change (batch, entity, row, act, image)
    SELECT number, 'usage', old.fact, '-', {old_usage} FROM batch WHERE open > 0;
END;

-- When the state of a fact was stated, where an import or a sync has brought it: the journal knows
-- when it came, and not when it was said on another machine. Of a fact that has later changes the
-- journal knows more.
CREATE TABLE stated (
  fact       INTEGER PRIMARY KEY REFERENCES fact (seq) ON DELETE CASCADE,
  change     INTEGER NOT NULL,         -- the newest change when this was noted
  changed_at INTEGER NOT NULL,         -- when somebody last stated anything about the fact
  said_at    INTEGER NOT NULL,         -- when somebody last said elsewhere that it holds
  gone       TEXT                      -- why it was archived there, where an import says it
) STRICT;

-- Vectors, a derived index: packed codes of up to 498 facts of one origin a row, which fill their
-- pages. Vectors of different embedders are never compared. Those of hrr-256 are kept in halves,
-- column by column: the high four bits of each two bytes in `codes`, the low ones in `lows`.
CREATE TABLE vector_chunk (
  number   INTEGER PRIMARY KEY,
  origin   INTEGER NOT NULL REFERENCES origin (number),
  embedder TEXT NOT NULL,
  facts    BLOB NOT NULL,              -- fact.seq, little-endian, 4 bytes each
  codes    BLOB NOT NULL,              -- one packed vector per fact, in the same order
  lows     BLOB NOT NULL DEFAULT x''   -- what `codes` leaves out
) STRICT;
CREATE INDEX vector_chunk_of ON vector_chunk (origin, embedder);

-- One byte per fact, by fact.seq, 4056 a row: how high it can score at most, so that recall reads
-- only what can be among the best. Derived; facts beyond the last byte are read.
CREATE TABLE ceiling (
  number INTEGER PRIMARY KEY,          -- the first byte is that of fact.seq = 4056 * number
  codes  BLOB NOT NULL
) STRICT;

-- Which facts hold a term that many of an origin hold, one bit a fact by fact.seq, 32000 a row:
-- derived. What takes half the room so is deflated, without a header. The row of the empty term
-- says how far all terms of an origin have come.
CREATE TABLE common_posting (
  origin  INTEGER NOT NULL REFERENCES origin (number),
  term    TEXT NOT NULL,
  number  INTEGER NOT NULL,            -- the first bit is that of fact.seq = 32000 * number
  upto    INTEGER NOT NULL,            -- facts from this number on are not in the row
  facts   INTEGER NOT NULL,            -- that hold the term
  holders BLOB NOT NULL,
  repeats BLOB NOT NULL,               -- how often they repeat it, at most 31: planes of bits
  UNIQUE (origin, term, number)
) STRICT;

-- Facts of an origin are embedded in the order of arrival: up to and including this one.
CREATE TABLE vector_progress (
  origin   INTEGER NOT NULL REFERENCES origin (number),
  embedder TEXT NOT NULL,
  seq      INTEGER NOT NULL,
  PRIMARY KEY (origin, embedder)
) STRICT, WITHOUT ROWID;

-- Codes of the latest questions of an origin by a learned embedder, so that a question asked again
-- loads no model: derived, and few. The text of a question is not kept.
CREATE TABLE query_vector (
  origin   INTEGER NOT NULL REFERENCES origin (number),
  embedder TEXT NOT NULL,
  digest   BLOB NOT NULL,              -- of the text
  number   INTEGER NOT NULL,           -- order of arrival in the origin
  code     BLOB NOT NULL,
  PRIMARY KEY (origin, embedder, digest)
) STRICT, WITHOUT ROWID;

-- Pairs of active facts that are alike, as dream found them: derived. Every fact that an origin
-- had when it last dreamt has been compared with every other, so the next dream compares what
-- came since, and what is in `unpaired`.
CREATE TABLE near (
  fact   INTEGER NOT NULL REFERENCES fact (seq) ON DELETE CASCADE,  -- the later one
  other  INTEGER NOT NULL REFERENCES fact (seq) ON DELETE CASCADE,  -- the earlier one
  cosine REAL NOT NULL,
  PRIMARY KEY (fact, other)
) STRICT, WITHOUT ROWID;
CREATE INDEX near_other ON near (other);
CREATE TABLE near_progress (
  origin   INTEGER PRIMARY KEY REFERENCES origin (number),
  embedder TEXT NOT NULL,
  floor    REAL NOT NULL,              -- the least cosine that was looked for
  seq      INTEGER NOT NULL
) STRICT;

-- Facts at or before that point which were not compared: they were not active then, or not there.
CREATE TABLE unpaired (
  fact INTEGER PRIMARY KEY REFERENCES fact (seq) ON DELETE CASCADE
) STRICT;

-- How far `extract` has come in a conversation: the number of its messages that are done.
CREATE TABLE cursor (
  origin  INTEGER NOT NULL REFERENCES origin (number),
  session TEXT NOT NULL,
  pass    TEXT NOT NULL,               -- facts, items, lessons, identifiers
  done    INTEGER NOT NULL,
  PRIMARY KEY (origin, session, pass)
) STRICT, WITHOUT ROWID;

-- A conversation whose turns are kept as they were said. `mark` is a digest of the client and of
-- the name that the client gives it; a purge leaves no more, so that no hook brings it back.
CREATE TABLE session (
  number  INTEGER PRIMARY KEY,
  origin  INTEGER NOT NULL REFERENCES origin (number),
  mark    TEXT NOT NULL,
  client  TEXT NOT NULL,               -- the program that it was held with
  name    TEXT NOT NULL,               -- empty once it is purged
  scope   TEXT,                        -- the project
  title   TEXT,                        -- the head of the first turn of the user's
  started INTEGER NOT NULL,            -- when the first and the last turn were said
  latest  INTEGER NOT NULL,
  UNIQUE (origin, mark)
) STRICT;

-- What was said in a session, word for word. A hidden turn was forgotten, or undone: it is in no
-- index and no count. One without a text was purged, and keeps what tells it.
CREATE TABLE turn (
  number  INTEGER PRIMARY KEY AUTOINCREMENT,
  origin  INTEGER NOT NULL REFERENCES origin (number),
  session INTEGER NOT NULL REFERENCES session (number),
  place   INTEGER NOT NULL,            -- in the session, from 1
  said_at INTEGER NOT NULL,
  hidden  INTEGER NOT NULL DEFAULT 0,
  length  INTEGER NOT NULL,            -- number of index terms
  role    TEXT NOT NULL,               -- user, assistant
  speaker TEXT,
  key     TEXT NOT NULL,               -- a digest of what tells it: i… of an id, t… of its text
  terms   TEXT NOT NULL,               -- index terms, joined by spaces
  content TEXT NOT NULL,
  UNIQUE (origin, key)
) STRICT;
CREATE INDEX turn_place ON turn (session, place);

-- The turns of an origin that are not hidden, their terms, and what their texts and terms take.
CREATE TABLE turn_tally (
  origin INTEGER PRIMARY KEY REFERENCES origin (number),
  turns  INTEGER NOT NULL,
  tokens INTEGER NOT NULL,
  octets INTEGER NOT NULL
) STRICT;

-- Which turns a batch has shown (+) or hidden (-), in runs of their numbers: the journal of turns.
CREATE TABLE turn_deed (
  batch  INTEGER NOT NULL,
  origin INTEGER NOT NULL REFERENCES origin (number),
  act    TEXT NOT NULL,
  first  INTEGER NOT NULL,
  last   INTEGER NOT NULL,
  PRIMARY KEY (batch, act, first)
) STRICT, WITHOUT ROWID;

-- What the full-text index of turns holds; terms as in that of facts.
CREATE VIEW turn_index (number, terms) AS
SELECT number,
       {index_of}
FROM turn WHERE hidden = 0;
CREATE VIRTUAL TABLE turn_fts USING fts5 (
  terms, content = 'turn_index', content_rowid = 'number', columnsize = 0, detail = 'none',
  tokenize = "ascii tokenchars '_'"
);
INSERT INTO turn_fts (turn_fts, rank) VALUES ('secure-delete', 1);
CREATE VIRTUAL TABLE turn_vocabulary USING fts5vocab (turn_fts, row);

CREATE TRIGGER turn_inserted AFTER INSERT ON turn WHEN new.hidden = 0 BEGIN{turn_in}
END;
CREATE TRIGGER turn_shown AFTER UPDATE OF hidden, terms ON turn WHEN new.hidden = 0 BEGIN{turn_in}
END;
CREATE TRIGGER turn_hiding BEFORE UPDATE OF hidden, terms ON turn WHEN old.hidden = 0
BEGIN{turn_out}
END;
CREATE TRIGGER turn_leaving BEFORE DELETE ON turn WHEN old.hidden = 0
BEGIN{turn_out}
END;

INSERT INTO origin (number, key) VALUES (1, 'owner');
INSERT INTO setting (name, value) VALUES ('analyzer', '{analyzer}');
"""

_DERIVED = ("length", "terms", "digest")  # made of the rest of a fact: no history keeps them
_WIDTH = 100  # of a line of the schema
COUNTED = ("lifecycle", "segment", "tier", "heat", "source", "pinned", "scope")
"""What `census` counts facts by."""
HOUR_MS = 3_600_000


def _columns(table: str) -> tuple[str, ...]:
    """Return the columns of a table of SCHEMA that the journal keeps."""
    body = SCHEMA.partition(f"CREATE TABLE {table} (\n")[2].partition("\n) STRICT")[0]
    names = (line.split()[0] for line in body.splitlines())
    return tuple(name for name in names if name.islower() and name not in _DERIVED)


def _filled(words: tuple[str, ...]) -> str:
    """Return words as a list with commas, in lines that are no longer than _WIDTH."""
    lines = ["  "]
    for word in words:
        if len(lines[-1]) + len(word) + 1 > _WIDTH:
            lines.append("  ")
        lines[-1] += f"{word}, "
    return "\n".join(line.rstrip() for line in lines).removesuffix(",")


USUAL = '{"lifecycle":"active","valid_to":null}'
"""What the journal keeps of a fact that ends where another one takes its place."""
_FACT, _LINK, _USAGE = _columns("fact"), _columns("link"), _columns("usage")
# Two spaces part the further forms from the rest.
_SPACED = "trim(replace({}terms, char(32, 32), ' '))"
_INDEX_OF = f"""CASE
         WHEN terms = '' OR origin = 1 THEN terms
         ELSE origin || '_' || replace({_SPACED.format("")}, ' ', ' ' || origin || '_')
       END"""
# Terms hold no quotes: they are letters, digits and marks.
_EACH_TERM = f"""json_each('["' || replace({_SPACED.format("{0}.")}, ' ', '","') || '"]')"""

def is_lapsed(fact: str) -> str:
    """Return the SQL condition that a row of `fact` counts in the row of `lapsed` beside it."""
    return (
        f"lapsed.origin = {fact}.origin AND {fact}.lifecycle = 'active'"
        f" AND ({fact}.valid_to <= at OR {fact}.valid_from > at)"
    )


_OCTETS = "octet_length({0}content) + octet_length({0}terms)"
CENSUS_KEY = ("origin", *COUNTED)
"""What tells a row of `census` from another."""
WATCHED = (*CENSUS_KEY, "created_at", "length", "terms", "valid_from", "valid_to")


def _values(row: str, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return columns of a row of `fact` as the counts have them: no scope is ''."""
    return tuple(f"ifnull({row}{name}, '')" if name == "scope" else row + name for name in names)


def _counted(row: str) -> str:
    """Return what is counted of a row of `fact`, in the order of the view `counted`."""
    return _filled((*_values(row, WATCHED), _OCTETS.format(row)))


_OWN_KEY = ", ".join(_values("", CENSUS_KEY))
_CENSUS = f"""SELECT {_OWN_KEY}, count(*), sum({_OCTETS.format("")})
  FROM fact {{}}GROUP BY {_OWN_KEY}"""
_ARRIVAL = f"""SELECT origin, created_at / {HOUR_MS}, count(*), sum(length) FROM fact
  WHERE lifecycle = 'active' {{}}GROUP BY 1, 2"""
_TALLY = """SELECT origin, source, count(*), sum(length) FROM fact
  WHERE lifecycle = 'active' {}GROUP BY 1, 2"""
CENSUS, ARRIVAL, TALLY = _CENSUS.format(""), _ARRIVAL.format(""), _TALLY.format("")
"""The SQL of what the tables of these names hold."""
_MORE = "ON CONFLICT DO UPDATE SET facts = facts + excluded.facts, {0} = {0} + excluded.{0}"
COUNT_LATER = (
    f"INSERT INTO census {_CENSUS.format('WHERE seq > ?1 ')} {_MORE.format('octets')}",
    f"INSERT INTO arrival {_ARRIVAL.format('AND seq > ?1 ')} {_MORE.format('tokens')}",
    f"INSERT INTO tally {_TALLY.format('AND seq > ?1 ')} {_MORE.format('tokens')}",
)
"""The SQL that counts the facts after a number in those tables."""


def journalled_columns(entity: str) -> tuple[str, ...]:
    """Return the columns of `fact`, `link` or `usage` that the journal keeps, in their order."""
    return {"fact": _FACT, "link": _LINK, "usage": _USAGE}[entity]


def state_of(entity: str) -> str:
    """Return the SQL for a row of `fact`, `link` or `usage` as the JSON that the journal keeps."""
    columns = journalled_columns(entity)
    return "json_object(" + ", ".join(f"'{name}', {name}" for name in columns) + ")"


def each_term(table: str) -> str:
    """Return the SQL for the index terms of a row of `fact`, one `value` each."""
    return _EACH_TERM.format(table)


def script() -> str:
    """Return the SQL that makes an empty file a tideline database, with comments."""
    text = SCHEMA
    for name, piece in _PIECES:
        text = text.replace(f"{{{name}}}", piece)
    return text


def stored_script() -> str:
    """Return that SQL as files have it, read by every opening: no comments, no spare spaces."""
    lines = (line.partition("--")[0] for line in script().splitlines())
    return "\n".join(filter(None, (_compact(line) for line in lines)))


def _compact(line: str) -> str:
    """Return a line without the spaces that no word needs; words in quotes stay as they are."""
    pieces = " ".join(line.split()).split("'")
    pieces[::2] = (piece.replace(", ", ",").replace(" (", "(") for piece in pieces[::2])
    return "'".join(pieces)


def _old_values() -> str:
    """Return the SQL for those values of an updated fact that change, as JSON. To compare column by
    column would run faster by 9 µs a fact, but takes every command 25 µs to read."""
    old = _old(_FACT[1:])
    return f"""replace((SELECT json_group_object(key, value) FROM (
              SELECT key, value FROM json_each({old})
              EXCEPT SELECT key, value FROM json_each({old.replace("old.", "new.")}))),
              '{USUAL}', '')"""


def _old(columns: tuple[str, ...]) -> str:
    return "json_object(" + ", ".join(f"'{name}', old.{name}" for name in columns) + ")"


def _turns(row: str, sign: str) -> str:
    """Return the SQL that counts a turn, in or out."""
    octets = _OCTETS.format(row)
    return (
        f"\n  INSERT INTO turn_tally VALUES ({row}origin, {sign}1, {sign}{row}length,"
        f" {sign}({octets}))\n    ON CONFLICT DO UPDATE SET turns = turns + excluded.turns,"
        " tokens = tokens + excluded.tokens,\n      octets = octets + excluded.octets;"
    )


_PIECES = (
    ("turn_in", "\n  INSERT INTO turn_fts (rowid, terms)\n    SELECT number, terms FROM turn_index"
     " WHERE number = new.number;" + _turns("new.", "")),
    ("turn_out", "\n  INSERT INTO turn_fts (turn_fts, rowid, terms)\n    SELECT 'delete', number,"
     " terms FROM turn_index WHERE number = old.number;" + _turns("old.", "-")
     + "\n  DELETE FROM turn_tally WHERE origin = old.origin AND turns = 0;"),
    ("open", "ifnull((SELECT open FROM batch WHERE open > 0), 1)"),
    ("retermed", "old.terms <> new.terms OR old.origin <> new.origin OR old.seq <> new.seq"),
    ("new_is_apart", "(new.lifecycle <> 'active' OR new.valid_from IS NOT NULL\n"
     "  OR new.valid_to IS NOT NULL)"),
    ("new_lapsed", is_lapsed("new")),
    ("analyzer", WITH_FORMS),
    ("usual", USUAL),
    ("each_new_term", _EACH_TERM.format("new")),
    ("watched", _filled(("seq", *WATCHED, "content"))),
    ("counted", ", ".join(WATCHED)),
    ("octets", _OCTETS.format("")),
    ("new_counted", _counted("new.").lstrip()),
    ("old_counted", _counted("old.").lstrip()),
    ("new_hour", f"new.created_at / {HOUR_MS}"),
    ("key", ", ".join(CENSUS_KEY)),
    ("new_key", ", ".join(f"new.{name}" for name in CENSUS_KEY)),
    ("index_of", _INDEX_OF),
    ("journalled", _filled(_FACT[1:])),
    ("old_values", _old_values()),
    ("old_fact", _old(_FACT)),
    ("old_link", _old(_LINK)),
    ("old_usage", _old(_USAGE)),
    ("new_usage", _old(_USAGE).replace("old.", "new.")),
)
"""What stands for the names in braces."""
