"""An undo applied: rows, index, vectors and bounds as they were."""

from __future__ import annotations

from tideline_cli.errors import TidelineError
from tideline_cli.memory.lanes import embedder_of, is_slow
from tideline_cli.memory.semantic import embed_backlog
from tideline_cli.store import common_upkeep, fts, score_bounds, undo_rows, vector_upkeep
from tideline_cli.store.connection import setting
from tideline_cli.store.transactions import writing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from apsw import Connection

    from tideline_cli.memory.undo_plan import UndoPlan
    from tideline_cli.model.text import Analyzer
    from tideline_cli.store.undo_rows import Row

MANY = 500  # facts that come and go; for more the index is made anew, and vectors come later
_FEW = 32  # the same for a learned embedder
_EMBED_AT_ONCE = 1000


def apply_undo(db: Connection, plan: UndoPlan, *, bulk: bool) -> set[int]:
    """Do what the plan says, in a batch of the caller; return the numbers of the origins whose
    facts wait for vectors."""
    if bulk:
        fts.leave(db)
    undo_rows.delete(db, "link", {*plan.links.gone, *plan.unstated})
    undo_rows.delete(db, "fact", plan.facts.gone)
    vector_upkeep.remove(db, plan.facts.gone)
    analyzer: Analyzer = setting(db, "analyzer", "standard")
    undo_rows.insert_facts(db, plan.facts.back.values(), analyzer=analyzer)
    for entity, reversal in (("fact", plan.facts), ("link", plan.links)):
        for number, changed in reversal.changed.items():
            undo_rows.update(db, entity, number, changed)
    undo_rows.insert_links(db, plan.links.back.values())
    undo_rows.put_uses(db, plan.uses)
    score_bounds.forget(db, plan.facts.gone)
    score_bounds.put_of(db, plan.facts.back)
    if bulk:
        fts.rebuild(db)
    common_upkeep.correct(db, {*plan.facts.gone, *plan.facts.back})
    return _vectors_back(db, plan.facts.back)


def embed_missing(db: Connection, origin_number: int) -> None:
    """Make the vectors that are missing, in short transactions. After an error the next recall
    makes the rest, and a slow embedder is left to it."""
    if is_slow(db):
        return
    try:
        done = _EMBED_AT_ONCE
        while done == _EMBED_AT_ONCE:
            with writing(db):
                done = embed_backlog(db, origin_number=origin_number, limit=_EMBED_AT_ONCE)
    except TidelineError:
        return


def _vectors_back(db: Connection, back: dict[int, Row]) -> set[int]:
    """Give vectors to the facts that come back: at once where they are few; else return the
    origins that wait, to be embedded later in order of arrival."""
    by_origin: dict[int, dict[int, str]] = {}
    for seq, row in back.items():
        by_origin.setdefault(row["origin"], {})[seq] = row["content"]
    waiting: set[int] = set()
    for origin, texts in by_origin.items():
        if not _put_back(db, texts, origin):
            vector_upkeep.rewind(db, min(texts), origin_number=origin)
            waiting.add(origin)
    return waiting


def _put_back(db: Connection, texts: dict[int, str], origin_number: int) -> bool:
    """Embed facts among those of their origin that have vectors; say whether that was possible."""
    try:
        embedder = embedder_of(db)
        # A model is slow, and this is a transaction.
        if len(texts) > (_FEW if getattr(embedder, "learned", False) else MANY):
            return False
        codes = embedder.embed_packed(list(texts.values())).tobytes()
    except TidelineError:
        return False
    size = len(codes) // len(texts)
    made = {seq: codes[i * size : (i + 1) * size] for i, seq in enumerate(texts)}
    vector_upkeep.insert(db, made, origin_number=origin_number, embedder=embedder.name)
    vector_upkeep.rewind(db, min(texts), origin_number=origin_number, kept=embedder.name)
    return True
