"""recall --why-not: say why a fact is not among the hits."""

from __future__ import annotations

from tideline_cli.cli import output
from tideline_cli.cli.explanation import explanation
from tideline_cli.memory.why_not import verdict
from tideline_cli.model import codec
from tideline_cli.store import facts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from apsw import Connection

    from tideline_cli.cli.session import Session
    from tideline_cli.memory.query import Query
    from tideline_cli.memory.why_not import WhyNot
    from tideline_cli.model.hit import Hit

_SAYS = {
    "archived": "it is archived: `{restore}` brings it back, {archived} looks there too",
    "not_valid": "it does not hold at that time: `{show}` says since when and until when",
    "other_scope": "it is of another scope, {scope}: --all-scopes",
    "filtered": "an option of this call leaves it out",
    "not_put_forward": "words or likeness find it, but so many facts before it that it is not "
    "ranked for so few hits; a higher --limit ranks more",
    "no_shared_term": "it shares no word with the query, and is not much like it",
}
_NO_LANE = {
    "keyword": "it shares no word with the query",
    "semantic": "it is not much like the query",
    "points": "no word of the query is a part of it, of its labels or of its id",
}
"""What is said instead in the modes that have one lane."""


def run(
    session: Session, db: Connection | None, query: Query, named: str, *, format: str,
    graph: str,
) -> int:  # fmt: skip
    """Print why a fact does not come, or where it does; return the exit code. `graph` says whether
    the call follows links."""
    reference = session.reference(named)
    if db is None:
        raise facts.missing(reference)
    found = verdict(db, query, reference, viewer=session.viewer, now=session.now, graph=graph)
    output.emit_rows(
        format,
        [_form(session, query, found)],
        whole=lambda forms: forms[0],
        lines=lambda: [f"{found.fact.id}\t{_told(session, query, found)}"],
    )
    return 0


def _told(session: Session, query: Query, found: WhyNot) -> str:
    hit, last = found.hit, found.last
    if found.reason == "found":
        return f"it is hit {found.rank:,}: {explanation(hit)}" if hit else "it is a hit"
    if hit is None:
        return _unplaced(session, query, found)
    if found.reason == "too_far":
        return f"{_too_far(hit)}: {explanation(hit)}"
    if found.reason == "below_min_score":
        return f"its score is below {query.min_score:g}: {explanation(hit)}"
    above = "" if last is None else f"; the last hit has {last.score:.4f}"
    return f"it comes at place {found.rank:,}{above}: {explanation(hit)}"


def _too_far(hit: Hit) -> str:
    """Return how near a fact of its class has to be; --min-sim takes the place of that."""
    from tideline_cli.ranking.priority import GROUPS  # noqa: PLC0415  one fusion alone

    group = GROUPS[hit.why.group or "auto"]
    return (
        f"it is too far: a fact of class {group.name} has a distance below {group.most:.2f}, a "
        f"cosine above {1 - group.most / 2:.3f}; --min-sim takes another"
    )


def _unplaced(session: Session, query: Query, found: WhyNot) -> str:
    """Return what is said of a fact that has no place in the answer."""
    if found.reason == "no_shared_term" and query.mode in _NO_LANE:
        return _NO_LANE[query.mode]
    return _SAYS[found.reason].format(
        restore=session.call("restore", found.fact.id), scope=found.fact.scope,
        show=session.call("show", found.fact.id),
        archived=_archived_too(session, query),
    )  # fmt: skip


def _archived_too(session: Session, query: Query) -> str:
    """Return how archived facts are found among the others."""
    if not query.is_other_way:
        return "--archived"
    from tideline_cli.cli import archived_notes  # noqa: PLC0415  an archived fact, another way

    return f"`{session.call(*archived_notes.recall_of_all(session, query.text))}`"


def _form(session: Session, query: Query, found: WhyNot) -> dict[str, Any]:
    hit, last = found.hit, found.last
    return {
        "query": query.text,
        "origin": session.viewer.key,
        "id": found.fact.id,
        "reason": found.reason,
        "rank": found.rank,
        "score": hit and hit.score,
        "last_score": last and last.score,
        "explain": hit and codec.breakdown_form(hit.why),
    }
