"""Making the index terms of all facts anew, after a change of the analyser."""

from __future__ import annotations

from tideline_cli.model.origin import EVERYONE
from tideline_cli.model.text import terms
from tideline_cli.store import ceilings, facts, fts, writes
from tideline_cli.store.connection import put_setting, writing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from apsw import Connection

    from tideline_cli.model.text import Analyzer


def analyse_anew(db: Connection, analyzer: Analyzer) -> int:
    """Store the setting and the terms it gives every fact, in one transaction; return how many.

    One transaction: an index of two analysers would answer wrongly.
    """
    with writing(db):
        put_setting(db, "analyzer", analyzer)
        rows = facts.texts(db, viewer=EVERYONE)
        for seq, content in rows:
            writes.put_terms(db, seq, terms(content, analyzer=analyzer))
        fts.rebuild(db)
        ceilings.clear(db)
        if rows:
            ceilings.extend(db, limit=facts.last_number(db) + 1)
    return len(rows)
