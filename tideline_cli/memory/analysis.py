"""Making the index terms of all facts anew, after a change of the analyser."""

from __future__ import annotations

from tideline_cli.model.text import terms
from tideline_cli.ranking import ceiling
from tideline_cli.store import ceilings
from tideline_cli.store.connection import put_setting, writing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from apsw import Connection

    from tideline_cli.model.text import Analyzer


def analyse_anew(db: Connection, analyzer: Analyzer) -> int:
    """Store the setting and the terms it gives every fact, in one transaction; return how many.

    One transaction: an index of two analysers would answer wrongly.
    """
    with writing(db):
        put_setting(db, "analyzer", analyzer)
        rows: list[Any] = db.execute("SELECT seq, content FROM fact").fetchall()
        for seq, content in rows:
            listed = terms(content, analyzer=analyzer)
            db.execute(
                "UPDATE fact SET terms = ?, length = ? WHERE seq = ?",
                (" ".join(listed), len(listed), seq),
            )
        ceilings.clear(db)
        while ceilings.missing(db) > 0 and rows:
            ceilings.extend(db, ceiling.code, unknown=ceiling.UNKNOWN, limit=len(rows) + 1)
    return len(rows)
