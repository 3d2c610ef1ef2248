"""How a call is ranked: by which way (its own options, else its profile, else the usual ones), what
makes the score of a hit, and why a fact is not among the hits."""

from __future__ import annotations

from tideline_cli.cli import answer_notes, output
from tideline_cli.config.settings import PROFILES
from tideline_cli.errors import UsageError
from tideline_cli.memory.query import way_of
from tideline_cli.memory.why_not import verdict
from tideline_cli.model import codec
from tideline_cli.model.record import replace
from tideline_cli.ranking.priority import GROUPS
from tideline_cli.store import facts

_ROUNDING = 1e-9

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, Protocol

    from apsw import Connection

    from tideline_cli.cli.session import Session
    from tideline_cli.memory.query import Mode, Query
    from tideline_cli.memory.why_not import WhyNot
    from tideline_cli.model.hit import Breakdown, Hit
    from tideline_cli.ranking.decay import Decay

    class Way(Protocol):
        """The options of a call that say how it is ranked."""

        @property
        def limit(self) -> int | None: ...
        @property
        def mode(self) -> Mode | None: ...
        @property
        def fusion(self) -> str | None: ...
        @property
        def decay(self) -> Decay | None: ...


def along(session: Session, query: Query, profile: str | None, options: Way) -> Query:
    """Return a query with what its profile says, where the call itself says nothing."""
    row = PROFILES[profile or "tideline"]
    mode = options.mode or row.mode
    fusion = options.fusion or (None if mode == "points" else row.fusion)
    if mode == "points" and options.fusion is not None:
        raise UsageError(
            "points are no lane that is joined with another",
            hint="--fusion additive adds likeness to points, without --mode points",
        )
    is_own = profile is not None and (mode, fusion) == (row.mode, row.fusion)
    usual = way_of(mode, fusion).decay
    has_limit = options.limit is not None or session.setting("limit", None) is not None
    return replace(
        query, mode=mode, fusion=fusion,
        decay=options.decay or (row.decay if is_own else usual),
        limit=query.limit if has_limit else row.limit,
        touches=row.touches, profile=row.name,
    )  # fmt: skip


def refuse_archived(query: Query) -> None:
    """Raise UsageError for archived facts among hits whose scores are of another kind."""
    if query.is_other_way:
        raise UsageError(
            "archived facts have a place only where words are ranked as usual",
            hint="--profile tideline, or leave out --archived",
        )


def block_of(
    session: Session, query: Query, hits: Sequence[Hit], *, is_told: bool
) -> tuple[int, str, Sequence[Hit]]:
    """Return how many characters a block takes, how its lines look, and which hits are in it:
    RsClaw leaves notes out, which is said, to a program with --verbose alone."""
    row = PROFILES[query.profile]
    style = "labelled" if query.way.by_distance else row.block
    kept = [hit for hit in hits if style != "plain" or hit.fact.kind != "note"]
    if len(kept) < len(hits):
        tell = session.note if is_told else session.detail
        tell(_without_notes(len(hits) - len(kept), row.name))
    return row.max_chars, style, kept


def _without_notes(count: int, profile: str) -> str:
    notes = "1 note is" if count == 1 else f"{count:,} notes are"
    return f"{notes} left out, as a block of {profile} has none; --profile tideline shows notes too"


def tokens_of(query: Query, given: int | None, max_chars: int | None) -> int | None:
    """Return how many tokens a block takes: as the call says, else its profile."""
    return PROFILES[query.profile].max_tokens if given is None and max_chars is None else given


_ABSENCES = {
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


def explain_absence(
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
        [_absence_form(session, query, found)],
        whole=lambda forms: forms[0],
        lines=lambda: [f"{found.fact.id}\t{_told_absence(session, query, found)}"],
    )
    return 0


def _told_absence(session: Session, query: Query, found: WhyNot) -> str:
    hit, last = found.hit, found.last
    if found.reason == "found":
        return f"it is hit {found.rank:,}: {sums_of(hit)}" if hit else "it is a hit"
    if hit is None:
        return _unplaced(session, query, found)
    if found.reason == "too_far":
        return f"{_too_far(hit)}: {sums_of(hit)}"
    if found.reason == "below_min_score":
        return f"its score is below {query.min_score:g}: {sums_of(hit)}"
    above = "" if last is None else f"; the last hit has {last.score:.4f}"
    return f"it comes at place {found.rank:,}{above}: {sums_of(hit)}"


def _too_far(hit: Hit) -> str:
    """Return how near a fact of its class has to be; --min-sim takes the place of that."""
    group = GROUPS[hit.why.group or "auto"]
    return (
        f"it is too far: a fact of class {group.name} has a distance below {group.most:.2f}, a "
        f"cosine above {1 - group.most / 2:.3f}; --min-sim takes another"
    )


def _unplaced(session: Session, query: Query, found: WhyNot) -> str:
    """Return what is said of a fact that has no place in the answer."""
    if found.reason == "no_shared_term" and query.mode in _NO_LANE:
        return _NO_LANE[query.mode]
    return _ABSENCES[found.reason].format(
        restore=session.call("restore", found.fact.id), scope=found.fact.scope,
        show=session.call("show", found.fact.id),
        archived=_archived_too(session, query),
    )  # fmt: skip


def _archived_too(session: Session, query: Query) -> str:
    """Return how archived facts are found among the others."""
    if not query.is_other_way:
        return "--archived"
    return f"`{session.call(*answer_notes.recall_of_all(session, query.text))}`"


def _absence_form(session: Session, query: Query, found: WhyNot) -> dict[str, Any]:
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


def of_parts(hit: Hit, parts: Mapping[str, float]) -> str:
    """Return the sums and products that make the score, each part under its name."""
    if "rrf" in parts:
        return f"{hit.score:.6f} = {_ranked(parts)} × {_shared_factors(hit)}"
    if "behind" in parts:
        return f"{hit.score:.4f} = {_behind(hit, parts)}"
    if "priority" in parts:
        return f"{hit.score:.4f} = {_classed(hit, parts)}"
    said = " + ".join(f"{name} {value:.4g}" for name, value in parts.items() if value)
    share = hit.why.modulator * hit.why.trust * hit.why.role
    if abs(sum(parts.values()) * share + (hit.why.newer or 0.0) - hit.score) > _ROUNDING:
        return f"{hit.score:.4f} of {said}"  # no sum: its own words are to be written above
    return f"{hit.score:.4f} = ({said or 0}) × {_shared_factors(hit)}"


def _ranked(parts: Mapping[str, float]) -> str:
    places = [
        f"{name} {parts[key]:.0f}"
        for name, key in (("words", "words_rank"), ("likeness", "likeness_rank")) if key in parts
    ]  # fmt: skip
    return f"rrf {parts['rrf']:.6f} (ranks: {', '.join(places)}) × quality {parts['quality']:.4f}"


def _classed(hit: Hit, parts: Mapping[str, float]) -> str:
    how = ", found by words" if "by_words" in parts else ""
    return (
        f"overlap {parts['overlap']:.4f} − (priority {parts['priority']:.0f} × 10"
        f" + distance {parts['distance']:.4f} + penalty {parts['penalty']:.4f}"
        f" + distrust {parts['distrust']:.4f}) ({hit.why.group}{how})"
    )


def _behind(hit: Hit, parts: Mapping[str, float]) -> str:
    via = hit.via
    link = f"{via.kind} {'from' if via.leaves else 'to'} {via.id}: " if via else ""
    return f"{link}behind {parts['behind']:.4f} − 1 + share {parts['share']:.4f}"


def _shared_factors(hit: Hit) -> str:
    why = hit.why
    shared = f"trust {why.trust:.2f} × modulator {why.modulator:.3f} (strength {why.strength:.3f})"
    return shared if why.role == 1.0 else f"{shared} × role {why.role:.2f} ({hit.fact.role})"


def sums_of(hit: Hit) -> str:
    """Return the sums and products that make a hit's score."""
    told = _explained(hit)
    return f"{told} + newer {hit.why.newer:.4f}" if hit.why.newer else told


def _explained(hit: Hit) -> str:
    why = hit.why
    if why.parts is not None:
        return of_parts(hit, why.parts)
    shared = _shared_factors(hit)
    if why.held != 1.0:
        shared += f" × held {why.held:.4f} (behind what is trusted)"
    if why.likeness:
        liked = f"likeness {why.likeness:.4f} (cosine {why.cosine:.3f})"
        has_words = why.bm25 or why.neighbour or why.session
        words = f"{_worth_of_words(why)} × {shared} + " if has_words else ""
        return f"{hit.score:.4f} = {words}{liked}"
    if why.lane == "lexical":
        return f"{hit.score:.4f} = {_worth_of_words(why)} × {shared}"
    if why.lane == "graph" and hit.via is not None:
        link = f"{output.one_line(hit.via.kind)} {'from' if hit.via.leaves else 'to'} {hit.via.id}"
        return (
            f"{hit.score:.4f} = {link}: base {why.base:.4f} × damping {why.damping:.3f} × {shared}"
        )
    near = f"cosine {why.cosine:.3f}"
    if why.base is None:
        return f"{hit.score:.4f} = {near} × {shared}"
    return f"{hit.score:.4f} = {near}: base {why.base:.4f} × damping {why.damping:.3f} × {shared}"


def _worth_of_words(why: Breakdown) -> str:
    """Return what the words are worth, and what stands around them."""
    named = ", ".join(
        f"{term} in a label" if term in why.label_terms else term for term in why.matched_terms
    )
    own = f"bm25 {why.bm25:.4f} ({named})" if named else f"bm25 {why.bm25:.4f}"
    if why.date:
        own = f"(bm25 {why.bm25:.4f} ({named}) + date {why.date:.4f})"
    for name, factor in (("speaker", why.speaker), ("time", why.time)):
        if factor != 1.0:
            own += f" × {name} {factor:.2f}"
    around = [
        f"{name} {share:.4f}"
        for name, share in (("neighbour", why.neighbour), ("session", why.session)) if share
    ]  # fmt: skip
    parts = [own, *around] if why.bm25 or why.date else around
    return f"({' + '.join(parts)})" if around else own
