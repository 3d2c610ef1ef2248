"""A recall, and what is archived beside it: whether any archived fact can hold the words costs a
statement a word."""

from __future__ import annotations

from tideline_cli.memory.query import nothing
from tideline_cli.memory.question import matched_count, question_of, word_count
from tideline_cli.memory.recall import recall
from tideline_cli.model.record import replace
from tideline_cli.store import fts, visibility
from tideline_cli.store.connection import setting
from tideline_cli.store.transactions import snapshot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from apsw import Connection

    from tideline_cli.memory import archived_matches
    from tideline_cli.memory.archived import Archived
    from tideline_cli.memory.query import Query, Recalled
    from tideline_cli.memory.question import Question
    from tideline_cli.model.origin import Origin
    from tideline_cli.model.text import Analyzer
    from tideline_cli.store.postgres.promising import Promising


def answered(
    db: Connection | None, query: Query, *, viewer: Origin, now: int, archived: bool = False,
    graph: str = "off",
) -> tuple[Recalled, list[Archived] | None]:  # fmt: skip
    """Return what a recall finds, with what is linked with its hits as `graph` says, and the
    archived facts beside or, if asked for, among it; None where nobody looked."""
    if db is None:
        return nothing(query), []
    with snapshot(db):
        answer = recall(db, query, viewer=viewer, now=now)
        others: list[Archived] | None
        if archived:
            answer, others = _among(db, query, answer, viewer=viewer, now=now)
        else:
            others = beside(db, query, answer, viewer=viewer, now=now)
        return with_links(db, query, answer, viewer=viewer, now=now, graph=graph), others


def foresee_recall(
    db: Connection, ahead: Promising, query: Query, *, viewer: Origin, now: int
) -> None:
    """Ask a server ahead for what a recall of a query will ask."""
    from tideline_cli.memory import ahead as coming  # noqa: PLC0415  a server alone

    coming.of_recall(db, ahead, query, viewer=viewer, now=now)


def with_links(
    db: Connection, query: Query, answer: Recalled, *, viewer: Origin, now: int, graph: str
) -> Recalled:
    """Return an answer with what is linked with its hits: `on`, `off`, or `auto`."""
    if graph == "off" or not answer.hits:
        return answer
    from tideline_cli.memory import graph_recall  # noqa: PLC0415  --graph alone

    always = graph == "on"
    return graph_recall.with_linked(db, query, answer, viewer=viewer, now=now, always=always)


def active_part(answer: Recalled) -> Recalled:
    """Return an answer without its archived hits, whose use does not count."""
    both = zip(answer.hits, answer.seqs, strict=True)
    active = [(hit, seq) for hit, seq in both if hit.fact.lifecycle == "active"]
    hits, seqs = tuple(hit for hit, _ in active), tuple(seq for _, seq in active)
    return replace(answer, hits=hits, seqs=seqs)


def beside(
    db: Connection, query: Query, answer: Recalled, *, viewer: Origin, now: int
) -> list[Archived] | None:
    """Return the faded and merged facts of the same origin that answer a query, best first; None
    where nobody looks: in an answer that is full of facts with all the words while some facts are
    archived, in one about the past, and in one by likeness alone.

    Beside a full answer only those count that hold all the words.
    """
    if query.wanted.as_of is not None or query.mode == "semantic":
        return None
    if not fts.has_archived(db, viewer=viewer):
        return []
    question = _question(db, query.text)
    words = word_count(question.terms, question.forms)
    is_full = len(answer.hits) >= query.limit
    if is_full and all(
        matched_count(hit.why.matched_terms, question.forms) >= words for hit in answer.hits
    ):
        return None
    origin_number = visibility.number(db, viewer)
    held = fts.archived_counts(db, question.terms, origin_number=origin_number)
    if not held or (is_full and len(held) < words):
        return []
    from tideline_cli.memory import archived_matches  # noqa: PLC0415  some fact may match

    found = archived_matches.Asked(query, now, question, held, origin_number)
    with snapshot(db):
        return archived_matches.announced(db, found, answer, is_full=is_full, viewer=viewer)


def beside_archived(
    db: Connection, query: Query, answer: Recalled, *, viewer: Origin, now: int
) -> list[Archived]:
    """Return the archived facts that match and that an answer with archived ones leaves out, best
    first: somebody forgot or replaced them."""
    asked = _asked(db, query, viewer=viewer, now=now)
    if len(answer.hits) >= query.limit or not asked.held:
        return []
    from tideline_cli.memory import archived_matches  # noqa: PLC0415  --archived alone

    with snapshot(db):
        return archived_matches.set_aside(db, asked, answer, viewer=viewer)


def _among(
    db: Connection, query: Query, answer: Recalled, *, viewer: Origin, now: int
) -> tuple[Recalled, list[Archived]]:
    """Return an answer with the faded and merged facts that match among its hits, in order of
    score, and which they are."""
    from tideline_cli.memory import archived_matches  # noqa: PLC0415  --archived alone

    asked = _asked(db, query, viewer=viewer, now=now)
    with snapshot(db):
        return archived_matches.with_archived(db, asked, answer, viewer=viewer)


def _asked(db: Connection, query: Query, *, viewer: Origin, now: int) -> archived_matches.Asked:
    """Return what a query asks of archived facts."""
    from tideline_cli.memory import archived_matches  # noqa: PLC0415  --archived alone

    question = _question(db, query.text)
    origin_number = visibility.number(db, viewer)
    held = fts.archived_counts(db, question.terms, origin_number=origin_number)
    return archived_matches.Asked(query, now, question, held, origin_number)


def _question(db: Connection, text: str) -> Question:
    """Return what a text asks for, as recall does."""
    analyzer: Analyzer = setting(db, "analyzer", "standard")
    return question_of(text, analyzer)
