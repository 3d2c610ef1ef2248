"""Taking a few facts out of the full-text index, so that no piece of their terms is left in it."""

from __future__ import annotations

from tideline_cli.store import SERVERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from apsw import Connection

MOST = 1000
"""For more facts the index is made anew."""
_PLAIN = 4  # the format of an index from which nothing was ever deleted row by row
_TAKEN = """
INSERT INTO fact_fts (fact_fts, rowid, terms)
SELECT 'delete', seq, terms FROM fact_index WHERE seq IN (SELECT value FROM json_each(?))
"""


def take_out(db: Connection, listed: str, *, count: int) -> bool:
    """Take facts that are still there, so many as JSON, out of the index; return False where it has
    to be made anew.

    Deleted row by row, terms would stay as the borders of pages. Here the deletion is a part of the
    index that says what is gone, and all parts are merged into one: what is gone is in none, and
    the borders are made of what is left. It takes a tenth of the time of making the index anew.
    """
    if count > MOST or _format(db) != _PLAIN:
        return False
    db.execute("INSERT INTO fact_fts (fact_fts, rank) VALUES ('secure-delete', 0)")
    db.execute(_TAKEN, (listed,))
    db.execute("INSERT INTO fact_fts (fact_fts) VALUES ('optimize')")
    db.execute("INSERT INTO fact_fts (fact_fts, rank) VALUES ('secure-delete', 1)")
    return True


def _format(db: Connection) -> int:
    if db.filename.startswith(SERVERS):  # where deleted facts take their postings along
        return _PLAIN
    return int(db.execute("SELECT v FROM fact_fts_config WHERE k = 'version'").get)
