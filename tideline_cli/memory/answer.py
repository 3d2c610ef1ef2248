"""A recall, and what is archived or has ended beside it: whether any archived fact can hold the
words costs a statement a word."""

from __future__ import annotations

from tideline_cli.memory.query import check_length, matched_count, nothing, question_of, word_count
from tideline_cli.memory.recall import recall, recalled
from tideline_cli.memory.search import view_of
from tideline_cli.model.record import Record, replace
from tideline_cli.store import fts, reads
from tideline_cli.store.connection import snapshot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from apsw import Connection

    from tideline_cli.memory.archived import Archived, Lookup
    from tideline_cli.memory.query import Query, Question, Recalled
    from tideline_cli.memory.search import View
    from tideline_cli.model.fact import Fact
    from tideline_cli.model.hit import Hit
    from tideline_cli.model.origin import Origin


class Answer(Record):
    """What every door tells of a question: the hits, the archived facts that match and those that
    have ended, best first. None where nobody looked: in an answer that is full of facts with all
    the words, and in one about the past."""

    found: Recalled
    archived: Sequence[Archived] | None = None
    ended: Sequence[Archived] | None = None

    @property
    def hits(self) -> tuple[Hit, ...]:
        """The hits, best first."""
        return self.found.hits

    def beside(
        self, text: Callable[[Fact], str] | None = None
    ) -> dict[str, list[dict[str, Any]] | None]:
        """Return what matches beside the hits, as JSON; `text` says how a fact is shown."""
        if not (self.archived or self.ended):
            none: list[dict[str, Any]] | None = None if self.archived is None else []
            return {"archived_matches": none, "ended_matches": none}
        from tideline_cli.memory.archived import match_forms  # noqa: PLC0415  some fact matches

        return {
            "archived_matches": match_forms(self.archived, text),
            "ended_matches": match_forms(self.ended, text),
        }


COUNTED = 100
"""Matches of other scopes that are counted."""


def elsewhere(
    db: Connection, query: Query, *, viewer: Origin, now: int
) -> tuple[Query, Recalled, int]:
    """Return a query as it is asked in every scope, its answer, and how many facts of other scopes
    match: the sure ones, where there are some."""
    anywhere = replace(query, limit=COUNTED, wanted=replace(query.wanted, scopes=None))
    found = recall(db, anywhere, viewer=viewer, now=now)
    inside = query.wanted.scopes or ()
    others = [hit for hit in found.hits if hit.fact.scope not in inside]
    return anywhere, found, sum(not hit.weak for hit in others) or len(others)


def answered(
    db: Connection | None, query: Query, *, viewer: Origin, now: int, archived: bool = False,
    graph: str = "off",
) -> Answer:  # fmt: skip
    """Return what a recall finds, with what is linked with its hits as `graph` says, and what
    matches beside it; if asked for, the archived facts are among the hits."""
    check_length(query.text)
    if db is None:
        return Answer(nothing(query), (), ())
    with snapshot(db):
        view = view_of(db, viewer=viewer, now=now)
        found = recalled(view, query)
        others, ended = _beside(view, query, found)
        if archived:
            from tideline_cli.memory.archived import with_archived  # noqa: PLC0415  --archived alone

            found, others = with_archived(_lookup(view, query), found)
        return Answer(
            with_links(db, query, found, viewer=viewer, now=now, graph=graph), others, ended
        )


def with_links(
    db: Connection, query: Query, answer: Recalled, *, viewer: Origin, now: int, graph: str
) -> Recalled:
    """Return an answer with what is linked with its hits: `on`, `off`, or `auto`."""
    if graph == "off" or not answer.hits:
        return answer
    from tideline_cli.memory.graph import with_linked  # noqa: PLC0415  --graph alone

    always = graph == "on"
    return with_linked(db, query, answer, viewer=viewer, now=now, always=always)


def active_part(answer: Recalled) -> Recalled:
    """Return an answer without its archived hits, whose use does not count."""
    both = zip(answer.hits, answer.seqs, strict=True)
    active = [(hit, seq) for hit, seq in both if hit.fact.lifecycle == "active"]
    hits, seqs = tuple(hit for hit, _ in active), tuple(seq for _, seq in active)
    return replace(answer, hits=hits, seqs=seqs)


def beside(
    db: Connection, query: Query, answer: Recalled, *, viewer: Origin, now: int
) -> tuple[Sequence[Archived] | None, Sequence[Archived] | None]:
    """Return the faded and merged facts of the same origin that answer a query, and those that have
    ended, best first; None where nobody looks. Beside a full answer only those count that hold all
    the words."""
    with snapshot(db):
        return _beside(view_of(db, viewer=viewer, now=now), query, answer)


def _beside(
    view: View, query: Query, answer: Recalled
) -> tuple[Sequence[Archived] | None, Sequence[Archived] | None]:
    if query.wanted.as_of is not None:
        return None, None
    has_archived = view.origin.has_archived
    if not (has_archived or answer.has_lapsed):
        return (), ()
    question = question_of(query.text, view.origin.analyzer)
    words = word_count(question.terms, question.forms)
    is_full = sum(not hit.weak for hit in answer.hits) >= query.limit
    if is_full and all(
        matched_count(hit.why.matched_terms, question.forms) >= words for hit in answer.hits
    ):
        return None, None
    held = _archived(view, question, answer.archived) if has_archived else {}
    if is_full and len(held) < words:
        held = {}
    if not (held or answer.has_lapsed):
        return (), ()
    from tideline_cli.memory.archived import Lookup, announced  # noqa: PLC0415  some fact may match

    return announced(Lookup(view, query, question, held), answer, is_full=is_full)


def beside_archived(
    db: Connection, query: Query, answer: Recalled, *, viewer: Origin, now: int
) -> list[Archived]:
    """Return the archived facts that match and that an answer with archived ones leaves out, best
    first: somebody forgot or replaced them."""
    with snapshot(db):
        asked = _lookup(view_of(db, viewer=viewer, now=now), query)
        if len(answer.hits) >= query.limit or not asked.held:
            return []
        from tideline_cli.memory.archived import set_aside  # noqa: PLC0415  --archived alone

        return set_aside(asked, answer)


def _lookup(view: View, query: Query) -> Lookup:
    """Return what a query asks of archived facts."""
    from tideline_cli.memory.archived import Lookup  # noqa: PLC0415  --archived alone

    question = question_of(query.text, view.origin.analyzer)
    return Lookup(view, query, question, _archived(view, question, None))


def _archived(view: View, question: Question, known: Mapping[str, int] | None) -> dict[str, int]:
    """Return in how many of the origin's archived facts each term of a question occurs; terms of
    none are left out. The rarest comes first. `known` are these counts, where they were asked."""
    if known is None:
        known = reads.alone(view.db, fts.archived_counts(question.terms, origin_number=view.number))
    found = {term: count for term in question.terms if (count := known[term]) > 0}
    return dict(sorted(found.items(), key=lambda pair: pair[1]))
