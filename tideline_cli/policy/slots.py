"""The rule of slots: a slot is a time line that statements paint. Pure.

At any time the value of a slot is that of the latest-said statement whose interval holds that time.
A value keeps what was said of it in its `statement`, where that is not what it shows: `from` and
`to`, as they were stated with it; `until`, an end that was set later; `at`, when it was first said
in this slot, and `said`, when last, where that is not what the fact and the journal tell; `moved`,
when it came into the slot, and `back`, when it was restored: of the time before, it holds where
nothing else does; `words`, what was said of it before it was said of another time without an end:
when, from when and to when each. What it shows is from when to when it holds, stays
within that included: among the values whose validity holds a time, the one with the latest
beginning holds. So nothing has to happen when a stay ends.
"""

from __future__ import annotations

from itertools import groupby

from tideline_cli.model.edge import SUCCEEDS
from tideline_cli.model.record import record, replace
from tideline_cli.model.saying import as_told
from tideline_cli.model.source import is_trusted
from tideline_cli.policy.periods import as_said, holds_from, statement_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from tideline_cli.model.fact import Fact

    Cell = tuple[int, int, str, bool]  # from, to, whose it is, and whether its value holds

_EVER = 1 << 62


@record
class Ended:
    """A fact that gives way: as it was, as it becomes, to which fact, and the kinds of edges from
    that fact."""

    before: Fact
    after: Fact
    by: Fact
    link_kinds: tuple[str, ...] = SUCCEEDS


@record
class _Stroke:
    """One saying of a value: when it was said, and from when to when it paints that the value
    holds, or that nothing does. One without a stated end gives way to what was planned before, and
    begins `after` a time; one that `fills` paints only where nothing holds."""

    said: int
    fact: str
    start: int
    end: int
    holds: bool = True
    after: int = _EVER
    fills: bool = False


def same_place(one: Fact, other: Fact) -> bool:
    """Say whether two facts are values of one slot. Each scope has slots of its own."""
    return one.slot is not None and (one.slot, one.scope) == (other.slot, other.scope)


def moved_in(*, now: int, is_timed: bool) -> dict[str, int]:
    """Return what is known of a fact that comes into a slot: where no times are said with that, it
    is a value from now on, and of the past where the slot had none."""
    return {"at": now} if is_timed else {"at": now, "moved": now}


def told_anew(before: Fact, after: Fact, **said: Any) -> Fact:
    """Return `after`, which is `before` with another validity or in another slot, with what is said
    of it: an end where none was stated is one that was set later."""
    if after.slot is None:
        return replace(after, statement=None)
    known, was = statement_of(before), as_said(before)
    if same_place(before, after) and not said and (
        (after.valid_from, after.valid_to) == (was.valid_from, was.valid_to)
    ):
        return replace(
            after, valid_from=before.valid_from, valid_to=before.valid_to,
            statement=before.statement,
        )  # fmt: skip
    kept = {name: at for name, at in known.items() if name not in ("from", "to", "until")}
    if after.valid_to is not None:
        kept.pop("words", None)
    if after.valid_from is not None:
        kept["from"] = after.valid_from
    if after.valid_to == was.valid_to:
        kept |= {name: known[name] for name in ("to", "until") if name in known}
    elif after.valid_to is not None:
        is_stay = before.slot is None or ("to" in known and "until" not in known)
        kept["to" if is_stay else "until"] = after.valid_to
    return replace(after, statement=kept | said)


def retimed(before: Fact, after: Fact) -> bool:
    """Say whether a value that is said again without an end is said of another time than before."""
    known = statement_of(before)
    is_other = "to" in known or known.get("from") != after.valid_from
    return before.slot is not None and after.valid_to is None and is_other


def with_words(before: Fact, said: Mapping[str, int]) -> dict[str, Any]:
    """Return what is known of a value that is `retimed`: what it was said of before stays said.
    `said` tells when values were last said, by id."""
    known, own = statement_of(before), as_said(before)
    end = own.valid_to if "to" in known else None
    word = [_last_said(before, said), holds_from(own), end]
    return {"words": [*known.get("words", ()), word]}


def without_end(fact: Fact) -> Fact:
    """Return a value of a slot as if nobody had ended or forgotten it."""
    known = {name: at for name, at in statement_of(fact).items() if name != "until"}
    return replace(as_said(replace(fact, statement=known)), statement=known)


def painted(values: Iterable[Fact], said: Mapping[str, int]) -> list[Fact]:
    """Return the values of one slot as its time line shows them; `said` tells, by id, when they
    were last said: of two said at one instant the archived one, or that with the lower id, paints
    first. A value that was painted over is archived where it is over by the last word; one that is
    pruned is shown no more.

    What nobody vouches for stands beside what is vouched for, and paints over its like alone.
    """
    told = [fact for fact in values if fact.lifecycle == "active" or fact.statement is not None]
    strokes = [stroke for fact in told for stroke in _strokes(fact, said.get(fact.id, 0))]
    gone = {fact.id for fact in told if as_told(fact).lifecycle != "active"}
    strokes.sort(key=lambda one: (one.said, one.fact not in gone, one.fact))
    trusted = {fact.id for fact in told if is_trusted(fact.source)}
    of_trusted = _periods([one for one in strokes if one.fact in trusted])
    of_all = _periods(strokes) if len(trusted) < len(told) else of_trusted
    ends = (one.start for one in strokes if one.fact in gone and not one.holds)
    latest = max([0, *(one.said for one in strokes), *ends])
    return [
        _shown(fact, (of_trusted if fact.id in trusted else of_all).get(fact.id), now=latest)
        for fact in told if fact.lifecycle != "pruned"
    ]  # fmt: skip


def _strokes(fact: Fact, said: int) -> list[_Stroke]:
    """Return the sayings of a value: the first one, and the last, which speaks of its own time and
    what comes after it; and that nothing holds behind an end that was set later. What was taken
    back before it began was never said."""
    known = statement_of(fact)
    start, until = known.get("from", fact.created_at), known.get("until", _EVER)
    end = min(known.get("to", _EVER), until)
    if until <= start:
        return []
    first = known.get("at", fact.created_at)
    said = said if said > known.get("back", fact.created_at) else 0
    last = max(known.get("said", 0), said)
    again = max(start, said or last)
    sayings = [(first, max(start, first) if "moved" in known else start)]
    found = _earlier(fact, first, end)
    sayings += [(last, again)] if last > first and again < end else []
    for at, since in sayings:
        after = _EVER if "to" in known else max(since, at)
        found.append(_Stroke(at, fact.id, since, end, after=after))
        if until != _EVER:
            after = min(after, max(until, at))
            found.append(_Stroke(at, fact.id, until, _EVER, holds=False, after=after))
    fills = (known[name] for name in ("moved", "back") if name in known)
    found += [_Stroke(at, fact.id, start, end, fills=True) for at in fills]
    return found


def _earlier(fact: Fact, first: int, end: int) -> list[_Stroke]:
    """Return the sayings of a value of other times: each at the `first` of all and at its own."""
    known = statement_of(fact)
    begin = first if "moved" in known else 0
    found: list[_Stroke] = []
    for said, since, stop in known.get("words", ()):
        until = min(end, _EVER if stop is None else stop)
        for at, start in ((first, max(since, begin)), (said, max(since, said))):
            after = max(start, at) if stop is None else _EVER
            found += [_Stroke(at, fact.id, start, until, after=after)] if start < until else []
    return found


def said_last(fact: Fact, values: Iterable[Fact], said: Mapping[str, int], *, now: int) -> Fact:
    """Return a value that is said now as one that is said later than all that its slot knows,
    whatever the clocks have said before."""
    latest = max((_last_said(one, said) for one in values if one.id != fact.id), default=0)
    if fact.created_at == now and fact.id not in said:
        is_late, name = fact.created_at > latest, "at"
    else:
        is_late, name = _last_said(fact, said) > latest, "said"
    if is_late:
        return fact
    return replace(fact, statement=statement_of(fact) | {name: latest + 1})


def restored_last(fact: Fact, values: Iterable[Fact], said: Mapping[str, int], *, now: int) -> Fact:
    """Return a value that is restored now, which `said` does not know yet, as one that holds as it
    was said, and where nothing else does."""
    latest = max((_last_said(one, said) for one in values if one.id != fact.id), default=0)
    known = statement_of(fact)
    last = max(known.get("said", 0), said.get(fact.id, 0))
    known |= {"said": last} if last > known.get("at", fact.created_at) else {}
    return replace(fact, statement=known | {"back": max(now, latest + 1)})


def _last_said(fact: Fact, said: Mapping[str, int]) -> int:
    known: dict[str, int] = statement_of(fact)
    times = (known.get(name, 0) for name in ("said", "back"))
    return max(known.get("at", fact.created_at), said.get(fact.id, 0), *times)


def _periods(strokes: Sequence[_Stroke]) -> dict[str, tuple[int, int]]:
    """Return from when to when each value is on the time line: from its first to its last time."""
    cells: list[Cell] = []
    for _, saying in groupby(strokes, key=lambda one: (one.said, one.fact)):
        begins = {fact: start for start, _, fact, _ in sorted(cells, reverse=True)}
        for stroke in saying:
            cells = _over(cells, stroke, begins)
    found: dict[str, tuple[int, int]] = {}
    for start, end, fact, holds in cells:
        if holds:
            first, last = found.get(fact, (start, end))
            found[fact] = min(first, start), max(last, end)
    return found


def _over(cells: Sequence[Cell], stroke: _Stroke, begins: Mapping[str, int]) -> list[Cell]:
    """Paint a stroke over what is there; `begins` tells since when each value had been on the time
    line when this was said."""
    kept: list[Cell] = []
    free = [(stroke.start, stroke.end)]
    for start, end, fact, holds in cells:
        if holds if stroke.fills else begins.get(fact, start) > stroke.after:
            kept.append((start, end, fact, holds))
            free = _without(free, start, end)
        else:
            parts = _without([(start, end)], stroke.start, stroke.end)
            kept += [(*part, fact, holds) for part in parts]
    return kept + [(start, end, stroke.fact, stroke.holds) for start, end in free]


def _without(parts: Iterable[tuple[int, int]], start: int, end: int) -> list[tuple[int, int]]:
    """Return parts of the time line without what lies between two times."""
    found: list[tuple[int, int]] = []
    for first, last in parts:
        found += [(first, min(last, start)), (max(first, end), last)]
    return [(first, last) for first, last in found if first < last]


def _shown(fact: Fact, period: tuple[int, int] | None, *, now: int) -> Fact:
    """Return a value with the validity that it has on the time line."""
    known = statement_of(fact)
    own = as_said(fact)
    start = holds_from(own)
    first, last = period or (start, start)
    since = own.valid_from if first == start else first
    until = None if last == _EVER else last
    if (since, until) == (own.valid_from, own.valid_to):
        was_painted = (fact.valid_from, fact.valid_to) != (since, until)
        is_back = was_painted and known.get("until", _EVER) > now
        plain = known.keys() <= {"from", "to"} and (is_back or fact.lifecycle == "active")
        return replace(
            fact, valid_from=since, valid_to=until, statement=None if plain else known,
            lifecycle="active" if is_back else fact.lifecycle,
        )  # fmt: skip
    is_over = until is not None and until <= max(now, first if period is None else now)
    return replace(
        fact, valid_from=since, valid_to=until, statement=known,
        lifecycle="archived" if is_over else "active" if _may_hold(fact, now) else fact.lifecycle,
    )  # fmt: skip


def _may_hold(fact: Fact, now: int) -> bool:
    """Say whether no word has archived a value: what its slot has archived comes back with it."""
    return fact.lifecycle == "active" or statement_of(fact).get("until", _EVER) > now


def periods(fact: Fact, values: Iterable[Fact]) -> list[tuple[int, int | None]]:
    """Return from when to when a value holds: in parts, where stays of its slot interrupt it."""
    start, end = holds_from(fact), fact.valid_to
    parts = [(start, _EVER if end is None else end)]
    for other in values:
        first, last = holds_from(other), _EVER if other.valid_to is None else other.valid_to
        if other.id != fact.id and start < first < last and _may_hide(other, fact):
            parts = _without(parts, first, last)
    return [(first, None if last == _EVER else last) for first, last in parts]


def _may_hide(other: Fact, fact: Fact) -> bool:
    return is_trusted(other.source) or not is_trusted(fact.source)


def holds_at(values: Iterable[Fact], at: int) -> list[Fact]:
    """Return the values of a slot that hold at a time, the one that is vouched for first: one, or
    two where what nobody vouches for stands beside it."""
    there = [
        fact for fact in values
        if holds_from(fact) <= at and (fact.valid_to is None or fact.valid_to > at)
    ]  # fmt: skip
    there.sort(key=lambda fact: (is_trusted(fact.source), holds_from(fact)), reverse=True)
    first = there[:1]
    beside = [one for one in there[1:] if is_trusted(one.source) != is_trusted(first[0].source)]
    return first + [one for one in beside[:1] if holds_from(one) >= holds_from(first[0])]


def successor(fact: Fact, values: Iterable[Fact]) -> Fact | None:
    """Return the value that begins where another ends, or covers all of it."""
    at = fact.valid_to
    there = [
        one for one in values
        if at is not None and one.id != fact.id and holds_from(one) <= at
        and (one.valid_to is None or one.valid_to > at) and _may_hide(one, fact)
    ]  # fmt: skip
    return max(there, key=holds_from, default=None)
