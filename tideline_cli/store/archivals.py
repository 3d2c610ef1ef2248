"""How archived facts left recall, as the journal tells it: by which verb, when, and to whom."""

from __future__ import annotations

from tideline_cli.model import codec
from tideline_cli.model.edge import REPLACING, sql_list, words_for
from tideline_cli.model.record import record, replace
from tideline_cli.store import images, reads, visibility
from tideline_cli.store.facts import narrowing
from tideline_cli.store.listing import Choice, newest_numbers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from apsw import Connection

    from tideline_cli.model.origin import Origin
    from tideline_cli.store.facts import Filter
    from tideline_cli.store.reads import Read, Rows


@record
class Departure:
    """The verb that archived a fact, and when; empty where the journal does not know it. `noted`
    is why, in the words of the file that an import took it from."""

    verb: str
    at: int
    noted: str | None = None


@record
class _Step:
    """A change of a fact: the lifecycle before it, where the journal tells it, and its batch."""

    batch: int
    act: str
    lifecycle: str | None
    verb: str | None
    at: int
    undoes: int | None
    noted: str | None


UNKNOWN = Departure("", 0)
_STEPS = """
SELECT change.row, change.batch, act, before ->> 'lifecycle', verb, ifnull(at, 0), undoes,
  iif(change.number <= stated.change, stated.gone, NULL)
FROM change LEFT JOIN batch ON batch.number = change.batch
  LEFT JOIN stated ON stated.fact = change.row
WHERE entity = 'fact' AND change.row IN (SELECT value FROM json_each(?))
  AND EXISTS (SELECT 1 FROM fact WHERE fact.seq = change.row AND lifecycle <> 'active')
ORDER BY change.row, change.number
"""
_BIRTHS = f"""
SELECT born.value, change.batch, '+', NULL, verb, ifnull(at, 0), undoes,
  iif(change.number - change.row + born.value <= stated.change, stated.gone, NULL)
FROM json_each(?) AS born CROSS JOIN change ON {images.run_of("born.value")}
  LEFT JOIN batch ON batch.number = change.batch
  LEFT JOIN stated ON stated.fact = born.value
WHERE EXISTS (SELECT 1 FROM fact WHERE fact.seq = born.value AND lifecycle <> 'active')
"""
"""The steps by which facts came that the journal keeps together: of such a fact it is the first."""
_SUCCESSORS = f"""
SELECT link.to_fact, source.id, link.created_at
FROM link JOIN fact AS source ON source.seq = link.from_fact
  JOIN fact ON fact.seq = link.to_fact
WHERE link.to_fact IN (SELECT value FROM json_each(?)) AND source.origin = fact.origin
  AND link.kind IN ({sql_list(words_for(*REPLACING))})
  AND NOT EXISTS (
    SELECT 1 FROM change AS made JOIN batch ON batch.number = made.batch AND batch.verb = 'dream'
      JOIN change AS went ON went.row = link.to_fact AND went.batch = made.batch
    WHERE made.row = link.number AND made.entity = 'link' AND made.act = '+'
      AND went.entity = 'fact' AND went.before ->> 'lifecycle' = 'active'
      AND went.number > made.number)
"""
"""A dream first archives what it merges, and then makes the edge to it. An edge that was there when
a fact went is one that the source has inherited from a twin: the fact has faded by itself."""


def archived_ones(seqs: Iterable[int], *, viewer: Origin, wanted: Filter) -> Read[list[int]]:
    """Read those of the facts that are archived and that `wanted` asks for, in the order given."""
    condition, values = visibility.where(viewer)
    narrowed, more = narrowing(wanted)
    listed = list(seqs)
    rows = yield (
        "SELECT seq FROM fact WHERE seq IN (SELECT value FROM json_each(?))"
        f" AND lifecycle = 'archived' AND {condition}{narrowed}",
        (codec.dumps(listed), *values, *more),
    )
    found = {seq for (seq,) in rows}
    return [seq for seq in listed if seq in found]


def newest(db: Connection, *, viewer: Origin, wanted: Filter, limit: int) -> list[int]:
    """Return the numbers of the archived facts that `wanted` asks for, newest first, then by id."""
    choice = Choice(*narrowing(wanted), "inactive")
    return newest_numbers(db, choice, origin_number=visibility.number(db, viewer), limit=limit)


def of(db: Connection, seqs: Iterable[int]) -> dict[int, Departure]:
    """Return how each of these facts, which are not active, became so. An undo that archives a fact
    again brings back the departure that it had before."""
    return departed(*reads.together(db, *trails(seqs)))


def trails(seqs: Iterable[int]) -> list[Read[Any]]:
    """Return what reads of those of the facts that are not active what `departed` takes."""
    listed = list(seqs)
    return [reads.asked(query, (codec.dumps(listed),)) for query in (_BIRTHS, _STEPS)]


def departed(*steps: Rows) -> dict[int, Departure]:
    """Return by number how facts departed of which `trails` were read."""
    trails: dict[int, list[_Step]] = {}
    for seq, *step in (row for rows in steps for row in rows):
        trails.setdefault(seq, []).append(_Step(*step))
    return {seq: _departure(_filled(trail)) for seq, trail in trails.items()}


def successors(seqs: Iterable[int]) -> Read[dict[int, list[tuple[str, int]]]]:
    """Read for each of these facts the ids of those that stand in its place by an edge, and when
    each edge was made, the newest first."""
    rows = yield (
        f"{_SUCCESSORS} GROUP BY link.to_fact, source.id, link.created_at"
        " ORDER BY link.created_at DESC, source.id",
        (codec.dumps(list(seqs)),),
    )
    found: dict[int, list[tuple[str, int]]] = {}
    for seq, source, at in rows:
        found.setdefault(seq, []).append((source, at))
    return found


def _filled(trail: Sequence[_Step]) -> list[_Step]:
    """Return the steps with the lifecycle before each: an update that left it keeps none."""
    filled: list[_Step] = []
    later: str | None = None
    for step in reversed(trail):
        if step.act == "~" and step.lifecycle is None:
            step = replace(step, lifecycle=later)
        later = step.lifecycle
        filled.append(step)
    return filled[::-1]


def _departure(trail: Sequence[_Step]) -> Departure:
    place = _last(trail, len(trail), None)
    for _ in trail:  # each turn goes further back
        if place is None:
            return UNKNOWN
        step = trail[place]
        if step.undoes is None:
            return Departure(step.verb or "", step.at, _noted(trail, place))
        undone = next((at for at, one in enumerate(trail) if one.batch == step.undoes), place)
        place = _last(trail, min(undone, place), trail[min(undone, place)].lifecycle)
    return UNKNOWN


def _noted(trail: Sequence[_Step], place: int) -> str | None:
    """Return what an import or a sync noted of the step at `place`: its own, or an earlier one,
    unless that was taken back since. What was noted after all steps is about what holds now."""
    if trail[-1].noted is not None:
        return trail[-1].noted
    step = trail[place]
    is_undone = any(later.undoes is not None for later in trail[place + 1 :])
    return None if is_undone and step.verb not in ("import", "sync") else step.noted


def _last(trail: Sequence[_Step], end: int, after: str | None) -> int | None:
    """Return the place of the last change, of those before `end`, by which the fact stopped being
    active or came as one that is not; `after` is the lifecycle behind them, None when it is not
    active."""
    if after == "active":
        return None
    later: str | None = after
    for place in range(end - 1, -1, -1):
        step = trail[place]
        if step.act == "+" and later != "active":
            return place
        if step.act == "~" and step.lifecycle == "active" and later != "active":
            return place
        later = step.lifecycle or later
    return None


def has_archived(db: Connection, *, viewer: Origin) -> bool:
    """Say whether an origin has a fact that is no longer active."""
    sql = """
    SELECT EXISTS (SELECT 1 FROM archived_term
                   WHERE origin = (SELECT number FROM origin WHERE key = ?) AND facts > 0)
    """
    return bool(db.execute(sql, (viewer.key,)).get)
