"""Why an archived fact is archived, and which ones a person would miss: what faded, and what was
merged into another fact."""

from __future__ import annotations

from tideline_cli.memory.amend import blocking_successor, filled_by
from tideline_cli.memory.near_duplicates import rule_of
from tideline_cli.model.instant import LATEST_MS
from tideline_cli.model.record import record, replace
from tideline_cli.policy.sameness import says_same
from tideline_cli.policy.transitions import REMOVED, restored
from tideline_cli.ranking.decay import is_immune, strength_at
from tideline_cli.store import bulk_reads, departures, facts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Literal

    from apsw import Connection

    from tideline_cli.model.fact import Fact
    from tideline_cli.model.origin import Origin
    from tideline_cli.store.departures import Departure
    from tideline_cli.store.facts import Filter

    Reason = Literal["faded", "merged", "superseded", "forgotten", "ended", "unknown"]

MISSED = ("faded", "merged")
"""The reasons for which nobody asked: the facts that are announced."""
_SWEEPS = ("dream", "gc")
_FORGETTING = ("forget", "library", "ingest")
_SAYING = ("remember", "edit", "extract")
_BROUGHT = ("import", "sync")
"""Verbs by which facts come as they are elsewhere."""
_UNASKED = (*_SWEEPS, "consolidate", *_BROUGHT)
_LOOKED_THROUGH = 4000
_AT_ONCE = 50
_WEAK = 0.15  # below it the decay sweep archives


@record
class Archived:
    """A fact by number that holds no more: why and when it went, and the active fact that says the
    same, of one that was merged. One that has ended need not be archived."""

    seq: int
    fact: Fact
    reason: Reason
    at: int
    kept: str | None = None

    @property
    def is_missed(self) -> bool:
        """Say whether nobody asked for it to go."""
        return self.reason in MISSED

    @property
    def had_lapsed(self) -> bool:
        """Say whether it had ended by itself before it was archived."""
        end = self.fact.valid_to
        return end is not None and end < self.at


def explained(
    db: Connection, found: Mapping[int, Fact], *, viewer: Origin
) -> list[Archived]:
    """Return why each of these facts, all of them archived, is so; in the order given."""
    left = departures.of(db, found)
    places = departures.successors(db, found)
    return [
        _explained(db, seq, fact, left[seq], places.get(seq, ()), viewer, frozenset())
        for seq, fact in found.items()
    ]


def reasons(db: Connection, found: Iterable[Fact]) -> dict[str, str]:
    """Return by id why archived facts are so, each as its own origin sees it; `unknown` where the
    journal does not tell."""
    return {
        one.fact.id: one.reason
        for origin, facts_of in _by_origin(db, found).items()
        for one in explained(db, facts_of, viewer=origin)
    }


def stated_reasons(db: Connection, found: Iterable[Fact]) -> dict[str, str]:
    """Return by id why archived facts were archived when they were, each as its own origin sees it:
    what has become since of the fact that one was merged into does not count."""
    told: dict[str, str] = {}
    for origin, facts_of in _by_origin(db, found).items():
        left = departures.of(db, facts_of)
        places = departures.successors(db, facts_of)
        for seq, fact in facts_of.items():
            told[fact.id], _ = _reason(db, fact, left[seq], places.get(seq, ()), origin)
    return told


def _by_origin(db: Connection, found: Iterable[Fact]) -> dict[Origin, dict[int, Fact]]:
    by_origin: dict[Origin, dict[str, Fact]] = {}
    for fact in found:
        by_origin.setdefault(fact.origin, {})[fact.id] = fact
    return {
        origin: dict(facts.by_ids(db, some, viewer=origin).values())
        for origin, some in by_origin.items()
    }


def missed(db: Connection, seqs: Sequence[int], *, viewer: Origin) -> list[Archived]:
    """Return those of the archived facts that nobody asked to go, and whose place no other
    statement has taken since; in the order given."""
    left = departures.of(db, seqs)
    hopeful = [seq for seq in seqs if left[seq].verb in _UNASKED]
    found = bulk_reads.whole(db, hopeful, viewer=viewer)
    return [
        one
        for one in explained(db, found, viewer=viewer)
        if one.is_missed and not _is_replaced(db, one, viewer)
    ]


def listed(db: Connection, wanted: Filter, *, viewer: Origin, limit: int | None) -> list[Archived]:
    """Return the newest archived facts that a filter asks for and that nobody asked to go. Of those
    that were archived for other reasons some thousands are looked through."""
    reach = _LOOKED_THROUGH if limit is None else _LOOKED_THROUGH + limit
    archived = replace(wanted, lifecycle="archived")
    seqs = departures.newest(db, viewer=viewer, wanted=archived, limit=reach)
    found: list[Archived] = []
    for start in range(0, len(seqs), _AT_ONCE):
        found += missed(db, seqs[start : start + _AT_ONCE], viewer=viewer)
        if limit is not None and len(found) >= limit:
            return found[:limit]
    return found


def others_count(db: Connection, wanted: Filter, *, viewer: Origin, listed: int) -> int:
    """Return how many archived facts a filter asks for beside the `listed` ones, up to some
    thousands."""
    archived = replace(wanted, lifecycle="archived")
    reach = _LOOKED_THROUGH + listed
    return len(departures.newest(db, viewer=viewer, wanted=archived, limit=reach)) - listed


def _is_replaced(db: Connection, one: Archived, viewer: Origin) -> bool:
    """Say whether it could not come back beside what holds now. What it was merged into says the
    same, and does not count."""
    end = one.fact.valid_to if one.had_lapsed else None
    back = restored(one.fact, end=end)
    there = (
        blocking_successor(db, back, viewer=viewer),
        filled_by(db, back, viewer=viewer, now=LATEST_MS),
    )
    return any(successor is not None and successor.id != one.kept for successor in there)


def _explained(
    db: Connection, seq: int, fact: Fact, left: Departure, places: Sequence[tuple[str, int]],
    viewer: Origin, seen: frozenset[str],
) -> Archived:  # fmt: skip
    reason, kept = _reason(db, fact, left, places, viewer)
    at = left.at if reason != "unknown" or left.verb else fact.valid_to or 0
    if left.verb in _BROUGHT and fact.valid_to is not None:
        at = fact.valid_to  # when it went where it came from
    one = Archived(seq, fact, reason, at)
    return one if kept is None else _followed(db, one, kept, viewer, seen | {fact.id})


def _reason(
    db: Connection, fact: Fact, left: Departure, places: Sequence[tuple[str, int]], viewer: Origin
) -> tuple[Reason, str | None]:
    """Return why a fact is archived, and the fact that it was merged into."""
    if left.noted is not None:
        return _as_noted(left.noted, places)
    if left.verb in _SWEEPS:
        kept = next((source for source, at in places if at == left.at), None)
        return ("faded", None) if kept is None else ("merged", kept)
    if left.verb == "consolidate":
        source = next((source for source, at in places if at == left.at), None)
        return ("faded", None) if source is None else _by_text(db, fact, source, viewer)
    if left.verb in _FORGETTING:
        return ("superseded" if any(at == left.at for _, at in places) else "forgotten"), None
    if left.verb in _SAYING:
        return "superseded", None
    return _of_a_file(db, fact, places, viewer) if left.verb == "import" else ("unknown", None)


def _as_noted(noted: str, places: Sequence[tuple[str, int]]) -> tuple[Reason, str | None]:
    """Return the reason that the file told from which a fact, or its later state, has come."""
    match noted:
        case "faded" | "superseded" | "forgotten":
            return noted, None
        case "merged":
            return "merged", places[0][0] if places else None
        case _:
            return "unknown", None


def _of_a_file(
    db: Connection, fact: Fact, places: Sequence[tuple[str, int]], viewer: Origin
) -> tuple[Reason, str | None]:
    """Return why a fact went where a file comes from, which does not tell: by the fact in its
    place, by what a model noted, or by how weak it was when it went."""
    if places:
        return _by_text(db, fact, places[0][0], viewer)
    if fact.valid_to is None or fact.pinned or fact.status == "confirmed":
        return "unknown", None
    noted = REMOVED in (fact.metadata or {})
    fades = not is_immune(fact.tier, fact.pinned) and strength_at(fact, now=fact.valid_to) < _WEAK
    return ("faded" if noted or fades else "unknown"), None


def _by_text(
    db: Connection, fact: Fact, source: str, viewer: Origin
) -> tuple[Reason, str | None]:
    """Return merged where the fact in its place says the same, else superseded."""
    other = facts.find(db, source, viewer=viewer)
    if says_same(other.content, fact.content, rule=rule_of(db)):
        return "merged", source
    return "superseded", None


def _followed(
    db: Connection, one: Archived, kept: str, viewer: Origin, seen: frozenset[str]
) -> Archived:
    """Return the fact with what became of the one that it was merged into: where that one was
    superseded or forgotten, so was this one, which says the same."""
    keeper = facts.find(db, kept, viewer=viewer)
    if keeper.lifecycle == "active":
        return Archived(one.seq, one.fact, "merged", one.at, kept)
    if keeper.lifecycle != "archived" or kept in seen:
        return Archived(one.seq, one.fact, "merged", one.at)
    seq = facts.number_of(db, kept, viewer=viewer)
    left, places = departures.of(db, [seq])[seq], departures.successors(db, [seq]).get(seq, ())
    what = _explained(db, seq, keeper, left, places, viewer, seen)
    reason = "merged" if what.is_missed else what.reason
    return Archived(one.seq, one.fact, reason, one.at, what.kept)
