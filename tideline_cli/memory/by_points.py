"""Facts by points: the words of a question as parts of texts and ids, tags, and what is new."""

from __future__ import annotations

from tideline_cli.memory.question import question_of
from tideline_cli.model import codec
from tideline_cli.ranking.points import points, words_of
from tideline_cli.store import facts, wordings
from tideline_cli.store.connection import setting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from apsw import Connection

    from tideline_cli.memory.query import Query
    from tideline_cli.model.origin import Origin
    from tideline_cli.ranking.points import Points

_HOUR_MS = 3_600_000.0
_LEAST_OF_ID = 4  # letters that stand in an id by no chance


def matches(db: Connection, query: Query, *, origin_number: int, now: int) -> dict[int, Points]:
    """Return the points of the facts of an origin that match a word, an id or a tag, by number.
    Every text of the origin is looked at."""
    words, asked = words_of(query.text), query.wanted.tags
    moment = now if query.wanted.as_of is None else query.wanted.as_of
    found: dict[int, Points] = {}
    if not (words or asked):
        return found
    for seq, fact_id, text, tags, created_at, is_active in wordings.each(
        db, origin_number=origin_number, wanted=query.wanted, now=now
    ):
        hours = (moment - created_at) / _HOUR_MS
        labelled = codec.loads(tags) if tags else ()
        got = points(
            words, text="\n".join((text, *labelled)), fact_id=fact_id.lower(), asked_tags=asked,
            tags=labelled, hours=hours, is_active=bool(is_active), least_of_id=_LEAST_OF_ID,
        )  # fmt: skip
        if got.is_match:
            found[seq] = got
    return found


def held_terms(
    db: Connection, query: Query, seqs: Sequence[int], *, viewer: Origin
) -> dict[int, tuple[str, ...]]:
    """Return which terms of a question each of the facts holds as a word."""
    asked = question_of(query.text, setting(db, "analyzer", "standard")).terms
    numbers = {fact.id: seq for seq, fact in facts.get(db, seqs, viewer=viewer).items()}
    found: dict[int, tuple[str, ...]] = {}
    for fact, terms in facts.with_terms(db, seqs, viewer=viewer):
        held = frozenset(terms.split())
        found[numbers[fact.id]] = tuple(term for term in asked if term in held)
    return found
