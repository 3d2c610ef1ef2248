"""From version 2 to 3, part by part; the triggers are made anew at the end.

A step reads the schema of its own version, and no code of the store that goes on changing; what is
derived is made once all steps are done (`derived_anew`).
"""

from __future__ import annotations

from tideline_cli.model import code_halves
from tideline_cli.store import utterances
from tideline_cli.store.schema_3 import SCRIPT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from apsw import Connection

_TRIGGER = "CREATE TRIGGER "
_ENDS = ";\n"


def step(db: Connection) -> None:
    """Bring a file of version 2 to version 3. Runs inside the transaction of the upgrade."""
    for part in PARTS:
        part(db)
    _remake_triggers(db)


def _shorten_images(db: Connection) -> None:
    """Store the commonest image of the journal as ''."""
    db.execute("ALTER TABLE change RENAME COLUMN before TO image")
    lines = _statement("CREATE TABLE change(").split("\n")
    (column,) = (line for line in lines if line.startswith("before "))
    db.execute(f"ALTER TABLE change ADD COLUMN {column}")


def _fading(db: Connection) -> None:
    """What `context` gave out, what fades soonest, and passes that nobody was told of."""
    db.execute("""
CREATE TABLE given (
  fact INTEGER PRIMARY KEY REFERENCES fact (seq) ON DELETE CASCADE,
  at   INTEGER NOT NULL
) STRICT""")
    db.execute("""
CREATE TABLE fade (
  fact   INTEGER PRIMARY KEY REFERENCES fact (seq) ON DELETE CASCADE,
  origin INTEGER NOT NULL REFERENCES origin (number),
  at     INTEGER NOT NULL
) STRICT""")
    db.execute("CREATE INDEX fade_of ON fade (origin, at)")
    db.execute("""
CREATE TABLE notice (
  origin INTEGER NOT NULL REFERENCES origin (number),
  batch  INTEGER NOT NULL REFERENCES batch (number),
  facts  INTEGER NOT NULL,
  PRIMARY KEY (origin, batch)
) STRICT, WITHOUT ROWID""")


def _note_statements(db: Connection) -> None:
    """Make the table of when imported states were stated."""
    db.execute(_statement("CREATE TABLE stated("))


def _count_lapsed(db: Connection) -> None:
    """Make the counts of the facts that do not hold: version 2 read those for each question."""
    for name in ("lapsed", "lapsed_term"):
        db.execute(_statement(f"CREATE TABLE {name}("))


_STATED_ONCE = """(link.kind, other.kind) IN (
  ('causes', 'caused_by'), ('caused_by', 'causes'), ('precedes', 'follows'), ('follows', 'precedes')
)"""
_FALSE = """link.kind = other.kind AND link.kind IN (
  'supersedes', 'transition', 'corrects', 'derived_from', 'supports', 'contradicts', 'part_of',
  'enables', 'blocks', 'located_at', 'uses', 'works_on'
)
AND link.created_at = other.created_at AND EXISTS (
  SELECT 1 FROM made AS own JOIN made AS its ON its.batch = own.batch
  WHERE own.row = link.number AND its.row = other.number
)"""
_REVERSED = f"""
WITH made AS MATERIALIZED (
  SELECT change.row, change.batch FROM change JOIN batch ON batch.number = change.batch
  WHERE change.entity = 'link' AND change.act = '+'
    AND batch.verb IN ('link', 'relink', 'extract', 'consolidate')
)
SELECT DISTINCT fact.origin, link.number
FROM link JOIN fact ON fact.seq = link.from_fact
  JOIN link AS other ON other.from_fact = link.to_fact AND other.to_fact = link.from_fact
WHERE other.number < link.number AND ({_STATED_ONCE} OR {_FALSE})
ORDER BY fact.origin, link.number
"""


def _remove_reversed(db: Connection) -> None:
    """Remove the edges that were stored back from the other end: of a kind with an inverse they
    say the same again, of any other directed kind they say what nobody stated. One batch of each
    origin has them, so that `undo` brings them back."""
    by_origin: dict[int, list[int]] = {}
    rows: list[Any] = db.execute(_REVERSED).fetchall()
    for origin, number in rows:
        by_origin.setdefault(origin, []).append(number)
    for origin, numbers in by_origin.items():
        reason = f"{len(numbers):,} edges removed that led back from the other end"
        batch = _opened(db, origin, reason)
        db.executemany("DELETE FROM link WHERE number = ?", [(number,) for number in numbers])
        db.execute("UPDATE batch SET open = 0 WHERE number = ?", (batch,))


_BATCH = """
INSERT INTO batch (origin, ordinal, at, verb, reason, open, first)
SELECT ?1, 1 + ifnull(max(ordinal), 0), ifnull(max(at), 0), 'upgrade', ?2, 1,
  1 + (SELECT ifnull(max(number), 0) FROM change)
FROM batch WHERE origin = ?1
"""


def _opened(db: Connection, origin: int, reason: str) -> int:
    """Open a batch of an origin for what the upgrade does to its rows; return its number."""
    db.execute(_BATCH, (origin, reason))
    return db.last_insert_rowid()


def _scope(db: Connection) -> None:
    """Facts have a scope, and none so far; so do those that the journal can bring back."""
    db.execute("ALTER TABLE fact ADD COLUMN scope TEXT")
    db.execute(
        "CREATE INDEX fact_scope ON fact (origin, scope)"
        " WHERE scope IS NOT NULL AND lifecycle = 'active'"
    )
    db.execute(
        "UPDATE change SET image = json_set(image, '$.scope', NULL)"
        " WHERE entity = 'fact' AND before IS NOT NULL"
    )


def _said(db: Connection) -> None:
    """Facts have a session, a turn, a speaker and a role, and none so far; so do those that the
    journal can bring back."""
    for column in ("session TEXT", "turn INTEGER", "speaker TEXT", "role TEXT"):
        db.execute(f"ALTER TABLE fact ADD COLUMN {column}")
    db.execute(_statement("CREATE INDEX fact_session "))
    db.execute(
        "UPDATE change SET image = json_set(image, '$.session', NULL, '$.turn', NULL,"
        " '$.speaker', NULL, '$.role', NULL) WHERE entity = 'fact' AND before IS NOT NULL"
    )


_WORK = "('decision', 'constraint', 'task', 'gotcha', 'insight', 'lesson')"


def _work(db: Connection) -> None:
    """Facts have an agent, and none so far; they say how far their work is, and that of a kind of
    work is active. So do those that the journal can bring back."""
    for column in ("agent TEXT", "progress TEXT", "statement TEXT"):
        db.execute(f"ALTER TABLE fact ADD COLUMN {column}")
    db.execute(f"UPDATE fact SET progress = 'active', digest = NULL WHERE kind IN {_WORK}")
    db.execute(_statement("CREATE INDEX fact_work "))
    db.execute(
        "UPDATE change SET image = json_set(image, '$.agent', NULL, '$.statement', NULL,"
        f" '$.progress', CASE WHEN before ->> 'kind' IN {_WORK} THEN 'active' END)"
        " WHERE entity = 'fact' AND before ->> 'seq' IS NOT NULL"
    )


def _lift_utterances(db: Connection) -> None:
    """Take sessions, turns, speakers and roles out of the metadata, where version 2 kept what an
    import said of them. One batch of each origin has it, so that `undo` puts it back."""
    found = utterances.in_metadata(db)
    if found:
        db.execute("DROP TRIGGER fact_updated")  # that of version 2 knows no such columns
        db.execute(next(one for one in _triggers() if one.startswith(f"{_TRIGGER}fact_updated ")))
    for origin, lifted in found.items():
        what = "session, turn, speaker and role taken out of the metadata"
        batch = _opened(db, origin, f"{len(lifted):,} facts: {what}")
        utterances.put(db, lifted)
        db.execute("UPDATE batch SET open = 0 WHERE number = ?", (batch,))


def _index_labels(db: Connection) -> None:
    """Make the index of the words of labels: version 2 searched the texts alone."""
    db.execute(_statement("CREATE TABLE label_term("))


def _counts(db: Connection) -> None:
    """Facts by their time, and counts: of facts for status, of changes by batch for history."""
    db.execute("ALTER TABLE batch ADD COLUMN last INTEGER NOT NULL DEFAULT 0")
    for made in (
        "INDEX fact_active ", "INDEX fact_inactive ", "TABLE census(", "TABLE arrival(",
        "TABLE batch_count(", "INDEX change_row ", "INDEX change_run ", "INDEX change_edge ",
    ):  # fmt: skip
        db.execute(_statement(f"CREATE {made}"))


def _keep_common_terms(db: Connection) -> None:
    """Make the table of common terms: version 2 looked their holders up row by row."""
    db.execute(_statement("CREATE TABLE common_posting("))


def _keep_questions(db: Connection) -> None:
    """Make the table of codes of questions: version 2 embedded each question anew."""
    db.execute(_statement("CREATE TABLE query_vector("))


def _documents(db: Connection) -> None:
    """Facts may be chunks of a document, and none is so far; nor is one that the journal can bring
    back."""
    db.execute("ALTER TABLE fact ADD COLUMN document TEXT")
    db.execute(_statement("CREATE INDEX fact_document "))
    db.execute(
        "UPDATE change SET image = json_set(image, '$.document', NULL)"
        " WHERE entity = 'fact' AND before IS NOT NULL"
    )


def _halve_codes(db: Connection) -> None:
    """Keep the vectors of hrr-256 in halves: version 2 kept them one after the other."""
    db.execute("ALTER TABLE vector_chunk ADD COLUMN lows BLOB NOT NULL DEFAULT x''")
    rows: list[Any] = db.execute(
        "SELECT number FROM vector_chunk WHERE embedder = 'hrr-256'"
        " AND length(codes) = 128 * (length(facts) / 4)"
    ).fetchall()
    for (number,) in rows:
        codes = db.execute("SELECT codes FROM vector_chunk WHERE number = ?", (number,)).get
        db.execute(
            "UPDATE vector_chunk SET codes = ?, lows = ? WHERE number = ?",
            (*code_halves.split(codes), number),
        )


PARTS: tuple[Callable[[Connection], None], ...] = (
    _shorten_images,
    _fading,
    _note_statements,
    _count_lapsed,
    _remove_reversed,
    _scope,
    _said,
    _documents,
    _work,
    _lift_utterances,
    _index_labels,
    _counts,
    _keep_questions,
    _keep_common_terms,
    _halve_codes,
)
"""What changes, in this order: columns, then tables and what they hold, then rows; the journal
first, since later parts write into it."""


def _remake_triggers(db: Connection) -> None:
    """Replace all triggers by those of this version, and the views that some are on."""
    names = [
        name for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'")
    ]
    for name in names:
        db.execute(f"DROP TRIGGER {name}")
    db.execute("DROP VIEW fact_index")
    for view in ("fact_index", "counted"):
        db.execute(_statement(f"CREATE VIEW {view}"))
    for statement in _triggers():
        db.execute(statement)


def _statement(beginning: str) -> str:
    """Return the statement of the schema of version 3 that begins so."""
    _, begun, rest = SCRIPT.partition(beginning)
    if not begun:
        raise LookupError(f"the schema has no {beginning!r}")
    return begun + rest[: rest.index(_ENDS)]


def _triggers() -> list[str]:
    """Return the statements that make the triggers."""
    found: list[str] = []
    for piece in SCRIPT.split(_TRIGGER)[1:]:
        found.append(_TRIGGER + piece[: piece.index("END;") + len("END")])
    return found
