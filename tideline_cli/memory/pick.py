"""What answers a question that is still being typed: its last word may be the beginning of one. And
the facts that begin as somebody types them, and the use of the one that is chosen."""

from __future__ import annotations

from tideline_cli.memory.query import DEFAULT_LIMIT, Recalled, conditions, question_of
from tideline_cli.memory.recall import recall, write_back
from tideline_cli.model.hit import Breakdown, Hit
from tideline_cli.model.record import replace
from tideline_cli.model.text import normalise
from tideline_cli.store import facts, fts, listing, passes, reads, visibility
from tideline_cli.store.connection import setting, snapshot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from apsw import Connection

    from tideline_cli.errors import UnavailableError
    from tideline_cli.memory.query import Query
    from tideline_cli.model.fact import Fact
    from tideline_cli.model.origin import Origin
    from tideline_cli.model.text import Analyzer
    from tideline_cli.ranking.bm25 import Condition
    from tideline_cli.store.facts import Filter

_WORDS = 64  # stored words that a beginning may stand for
_LEAST = 2  # letters of a beginning in ASCII; one letter begins too many words
_MOST = 100  # facts that are read
_CHOSEN = Breakdown(None, (), 0.0, 0.0, 0.0, "lexical")


def found(
    db: Connection, query: Query, *, viewer: Origin, now: int,
    caution: Callable[[UnavailableError], None] = lambda _: None,
) -> list[Fact]:  # fmt: skip
    """Return the facts that hold words of a question, best first, then the newest in which a word
    begins as its last one does. Where those are few, what is only like it follows: a search by
    likeness would be most of the cost of a letter. `caution` is told why likeness cannot be had."""
    if not query.text.strip():
        return newest(db, query.wanted, viewer=viewer, limit=query.limit)
    by_words = recall(db, replace(query, mode="keyword"), viewer=viewer, now=now).hits
    strong = [hit.fact for hit in by_words if not hit.weak]
    every = [*strong, *_begun(db, query, viewer=viewer, now=now), *(hit.fact for hit in by_words)]
    every_one = {fact.id: fact for fact in every}
    if len(every_one) < DEFAULT_LIMIT:
        answer = recall(db, query, viewer=viewer, now=now)
        if answer.lacking is not None:
            caution(answer.lacking)
        for hit in answer.hits:
            every_one.setdefault(hit.fact.id, hit.fact)
    return [*every_one.values()][: query.limit]


def newest(db: Connection, wanted: Filter, *, viewer: Origin, limit: int) -> list[Fact]:
    """Return the facts that `wanted` asks for, newest first."""
    return list(listing.each(db, viewer=viewer, wanted=wanted, limit=limit))


def _begun(db: Connection, query: Query, *, viewer: Origin, now: int) -> list[Fact]:
    """Return the newest facts that hold all words of a question, of the last one its beginning."""
    before, start = _parted(query.text)
    if not start.isalnum() or (start.isascii() and len(start) < _LEAST):
        return []
    with snapshot(db):
        number = visibility.number(db, viewer)
        if number == visibility.NOBODY:
            return []
        words = reads.alone(db, fts.words_from(start, origin_number=number, limit=_WORDS))
        if not words:
            return []
        analyzer: Analyzer = setting(db, "analyzer", "standard")
        whole = conditions(question_of(before, analyzer)) if before else ()
        asked: list[Condition] = [*whole, ("OR", tuple(words))]
        seqs = reads.alone(db, fts.holding_all(
            asked, origin_number=number, lifecycle="active", limit=query.limit
        ))  # fmt: skip
        read = facts.among(db, seqs, viewer=viewer, wanted=query.wanted, now=now)
    return [read[seq] for seq in seqs if seq in read]


def _parted(text: str) -> tuple[str, str]:
    """Return the whole words of a question, and the one being typed, as indexed, or empty."""
    if not text[-1:].strip():
        return text, ""
    before, _, last = normalise(text).rpartition(" ")
    return before, last.lower()


def count_choice(db: Connection, fact: Fact, *, viewer: Origin, now: int) -> None:
    """Count the use as that of a recall: best effort, and where its heat may move, that too."""
    seq = facts.number_of(db, fact.id, viewer=viewer)
    write_back(db, Recalled((Hit(fact, 0.0, _CHOSEN),), (seq,), None), touch=True, now=now)


def beginning_with(db: Connection, text: str, *, viewer: Origin) -> list[Fact]:
    """Return the active facts whose text begins so, in whatever case and spacing, newest first;
    where one has this text and no more, that one alone."""
    start = _plain(text)
    if not start:
        return []
    numbers = [
        seq
        for seq, content in passes.active_texts(db, viewer=viewer)
        if content[:1].casefold() == start[:1] and _plain(content).startswith(start)
    ]
    found = list(facts.get(db, numbers[: -_MOST - 1 : -1], viewer=viewer).values())
    whole = [fact for fact in found if _plain(fact.content) == start]
    return whole if len(whole) == 1 else sorted(found, key=lambda fact: -fact.created_at)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
