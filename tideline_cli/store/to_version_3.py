"""From version 2 to 3, part by part; the triggers are made anew at the end."""

from __future__ import annotations

from tideline_cli.store import lapsed, schema

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from apsw import Connection

_TRIGGER = "CREATE TRIGGER "


def step(db: Connection) -> None:
    """Bring a file of version 2 to version 3. Runs inside the transaction of the upgrade."""
    for part in PARTS:
        part(db)
    _remake_triggers(db)


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
    table = schema.SCHEMA[schema.SCHEMA.index("CREATE TABLE stated (") :].partition(";")[0]
    db.execute(table)


def _count_lapsed(db: Connection) -> None:
    """Count the facts that do not hold: version 2 read them for each question."""
    for name in ("lapsed", "lapsed_term"):
        db.execute(_table(name))
    lapsed.count_anew(db)


PARTS: tuple[Callable[[Connection], None], ...] = (_fading, _note_statements, _count_lapsed,)
"""What changes, in this order: columns, then tables and what they hold, then rows."""


def _remake_triggers(db: Connection) -> None:
    """Replace all triggers by those of this version."""
    names = [
        name for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'")
    ]
    for name in names:
        db.execute(f"DROP TRIGGER {name}")
    for statement in _triggers():
        db.execute(statement)


def _triggers() -> list[str]:
    """Return the statements that make the triggers."""
    found: list[str] = []
    for piece in schema.script().split(_TRIGGER)[1:]:
        found.append(_TRIGGER + piece[: piece.index("END;") + len("END")])
    return found


def _table(name: str) -> str:
    """Return the statement that makes a table."""
    script = schema.script()
    start = script.index(f"CREATE TABLE {name} (")
    return script[start : script.index(";\n", start)]
