"""amend: forget, restore, pin, unpin and judge facts that are there already."""

from __future__ import annotations

from _operator import not_
from itertools import compress

from tideline_cli.errors import UsageError, WriteBlockedError
from tideline_cli.memory.query import Query
from tideline_cli.memory.recall import recall
from tideline_cli.model.edge import REPLACING, SUCCEEDS
from tideline_cli.model.record import record, replace
from tideline_cli.policy import transitions as policy
from tideline_cli.policy.gate import may_touch
from tideline_cli.policy.periods import holds_from, overlap
from tideline_cli.policy.slots import holds_at, same_place, without_end
from tideline_cli.store import facts, images, journal, labels, links, uses, writes
from tideline_cli.store.connection import has_synced

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from apsw import Connection

    from tideline_cli.model.fact import Fact
    from tideline_cli.model.origin import Origin

_SHOWN = 60


@record
class Amended:
    """What became of the facts named: `changed` as they are now, `kept` those that needed no
    change. `batch` is None when nothing changed. `ends` are, by id, the ends that restored facts
    have lost; `settled` those of the changed facts that a sync had archived, and that are archived
    by this word from now on."""

    changed: tuple[Fact, ...]
    kept: tuple[Fact, ...]
    batch: int | None
    ends: tuple[tuple[str, int], ...] = ()
    settled: frozenset[str] = frozenset()


class NothingToDo(Exception):  # noqa: N818  a way out of a transaction, no error
    """Nothing has to change: the batch is rolled back, and none is recorded."""


def forget(
    db: Connection,
    references: Sequence[str],
    *,
    superseded_by: str | None = None,
    viewer: Origin,
    now: int,
) -> Amended:
    """Archive the facts named, all or none; with `superseded_by` the edges say what replaced them.

    Raises NotFoundError for a reference that names no fact of the viewer.
    """

    def step(named: Sequence[Fact]) -> list[Fact]:
        by = None
        if superseded_by is not None:
            by = facts.find(db, superseded_by, viewer=viewer)
            check_active(by, "supersede anything")
            if any(fact.id == by.id for fact in named):
                raise UsageError("a fact cannot supersede itself", hint="name another one")
        for fact in named:
            if fact.lifecycle == "active":
                archive_fact(db, fact, by=by, now=now)
        repaint_slots(db, named, now=now)
        settled.update(_settled(db, named))
        return [facts.find(db, fact.id, viewer=viewer) for fact in named]

    settled: set[str] = set()
    return _amend(db, "forget", references, step, viewer=viewer, now=now, settled=settled)


def _settled(db: Connection, named: Sequence[Fact]) -> set[str]:
    """Let facts that a sync has archived be archived by somebody's word; return their ids."""
    archived = [fact.id for fact in named if fact.lifecycle != "active"]
    if not archived or not has_synced(db):
        return set()
    from tideline_cli.store import sync_changes  # noqa: PLC0415  few memories sync

    return sync_changes.settle_rulings(db, archived)


def archive_fact(db: Connection, fact: Fact, *, by: Fact | None, now: int) -> None:
    """Archive a fact in a batch of the caller; `by` takes its place, in its slot too."""
    after = policy.archived(fact, now=now)
    if by is not None and same_place(fact, by):
        after = replace(after, statement=None)
    writes.change(db, fact, after)
    if by is not None:
        links.add_all(db, by.id, SUCCEEDS, fact.id, now=now)


def repaint_slots(db: Connection, changed: Iterable[Fact], *, now: int) -> None:
    """Paint the slots of facts that a word has changed, in a batch that the caller holds open."""
    places = {(fact.slot, fact.scope): fact for fact in changed if fact.slot is not None}
    for fact in places.values():
        from tideline_cli.memory.succession import repaint  # noqa: PLC0415  few are in a slot

        repaint(db, fact, now=now, by=None)


def restore(db: Connection, references: Sequence[str], *, viewer: Origin, now: int) -> Amended:
    """Bring archived or pruned facts back, all or none. A fact keeps an end that lies ahead.

    Raises WriteBlockedError when another active fact stands in the place of one of them; those
    named together count as active, in whatever order they are named.
    """
    dropped: dict[str, int] = {}

    def step(named: Sequence[Fact]) -> list[Fact]:
        after = [_restored(db, fact, dropped, now=now) for fact in named]
        back = [one for one, before in zip(after, named, strict=True) if one != before]
        valued = [_InSlot(db, one, now=now) for one in back if one.slot is not None]
        _store(db, named, after)
        for fact in back:
            if by := blocking_successor(db, fact, viewer=viewer):
                raise _superseded(fact, by)
        for one in valued:
            one.hold_again()
        return [facts.find(db, fact.id, viewer=viewer) for fact in named]

    done = _amend(db, "restore", references, step, viewer=viewer, now=now)
    return replace(done, ends=tuple(dropped.items()))


def _restored(db: Connection, fact: Fact, dropped: dict[str, int], *, now: int) -> Fact:
    """Return the fact as it is when active again. An end that it loses is put into `dropped`."""
    if fact.lifecycle == "active":
        return fact
    if fact.statement is not None:
        fact = without_end(fact)
        return policy.restored(fact, end=fact.valid_to)
    was = images.last_active(db, fact.id)
    end = fact.valid_to if was is None else was["valid_to"]
    if end is None or (was is not None and end > now):
        return policy.restored(fact, end=end)
    dropped[fact.id] = end
    return policy.restored(fact)


class _InSlot:
    """A value of a slot that is restored: what else held before, and when it was last said."""

    def __init__(self, db: Connection, fact: Fact, *, now: int) -> None:
        from tideline_cli.store import statements  # noqa: PLC0415  few are in a slot

        self._db, self._fact, self._now = db, fact, now
        at = statements.times(db, viewer=fact.origin, ids=[fact.id]).get(fact.id)
        self._said = {fact.id: at.said_at if at else 0}
        self._others = self._holding()

    def hold_again(self) -> None:
        """Let its slot show it: as it was said, and where nothing else holds. It does not take the
        place of what holds now."""
        from tideline_cli.memory.succession import hold_again  # noqa: PLC0415  as above

        fact, now = self._fact, self._now
        current = facts.find(self._db, fact.id, viewer=fact.origin)
        shown = hold_again(self._db, current, self._said, now=now)
        if shown.lifecycle != "active" or (shown.valid_to is not None and shown.valid_to <= now):
            raise _superseded(fact, filled_by(self._db, fact, viewer=fact.origin, now=now))
        still = {one.id for one in self._holding()}
        for one in self._others:
            if one.id not in still and may_touch(one.source, fact.source):
                raise _superseded(fact, one)

    def _holding(self) -> list[Fact]:
        """Return the values that its slot has now."""
        fact = self._fact
        assert fact.slot is not None  # noqa: S101  for the type checker
        mates = labels.active_values(self._db, fact.slot, scope=fact.scope, viewer=fact.origin)
        return holds_at([mate for mate, _ in mates], self._now)


def _superseded(fact: Fact, by: Fact | None) -> WriteBlockedError:
    if by is None:
        hint = f"`tideline remember --slot {fact.slot} TEXT` says it again"
        return WriteBlockedError(f"{fact.id} has ended", hint=hint, code="superseded")
    return WriteBlockedError(
        f"{fact.id} is superseded by {by.id}: {clipped(by.content)}",
        hint=f"`tideline forget {by.id}` first, if the older one is right",
        code="superseded",
    )


def blocking_successor(db: Connection, fact: Fact, *, viewer: Origin) -> Fact | None:
    """Return an active fact that stands in the place of `fact` at a time at which both hold.

    `fact` is given as it would be when active. The successor replaces it by an edge or by a chain
    of edges. Values of one slot are no successors: see `filled_by`.
    """
    seen = {fact.id}
    waiting = [fact]
    while waiting:
        gone = waiting.pop(0)
        for source in _replacing(db, gone, viewer=viewer):
            if source.id in seen:
                continue
            seen.add(source.id)
            if source.lifecycle != "active":
                waiting.append(source)
            elif same_place(source, fact):
                continue
            elif overlap(source, fact) and may_touch(source.source, fact.source):
                return source
    return None


def filled_by(db: Connection, fact: Fact, *, viewer: Origin, now: int) -> Fact | None:
    """Return the value of the slot of a fact that holds when the fact would, and may replace it."""
    if fact.slot is None:
        return None
    mates = labels.active_values(db, fact.slot, scope=fact.scope, viewer=viewer)
    held = holds_at([mate for mate, _ in mates if mate.id != fact.id], max(now, holds_from(fact)))
    return next((mate for mate in held if may_touch(mate.source, fact.source)), None)


def _replacing(db: Connection, fact: Fact, *, viewer: Origin) -> Iterator[Fact]:
    """Yield the facts that replace or contradict a fact by an edge, if their sources may do so."""
    for link in links.arriving(db, fact.id, viewer=viewer):
        if link.kind in REPLACING:
            source = facts.find(db, link.source, viewer=viewer)
            if may_touch(source.source, fact.source):
                yield source


def nearest(db: Connection, text: str, *, viewer: Origin, now: int) -> list[tuple[Fact, float]]:
    """Return the hits of a recall, nearest to `text` first, and their distances 2 - 2 · cosine."""
    hits = recall(db, Query(text), viewer=viewer, now=now).hits
    if not hits:
        return []
    from tideline_cli.memory.lanes import embedder_of  # noqa: PLC0415  loads numpy
    from tideline_cli.vector.embedder import cosines  # noqa: PLC0415  numpy, 80 ms

    alike = cosines(embedder_of(db), [(text, hit.fact.content) for hit in hits])
    found = [(hit.fact, 2.0 - 2.0 * cosine) for hit, cosine in zip(hits, alike, strict=True)]
    return sorted(found, key=lambda pair: pair[1])


def pin(db: Connection, references: Sequence[str], *, viewer: Origin, now: int) -> Amended:
    """Pin active facts: they never fade."""

    def step(named: Sequence[Fact]) -> list[Fact]:
        for fact in named:
            check_active(fact, "be pinned")
        return _stored(db, named, policy.pinned)

    return _amend(db, "pin", references, step, viewer=viewer, now=now)


def unpin(db: Connection, references: Sequence[str], *, viewer: Origin, now: int) -> Amended:
    """Unpin facts: they fade again."""

    def step(named: Sequence[Fact]) -> list[Fact]:
        return _stored(db, named, policy.unpinned)

    return _amend(db, "unpin", references, step, viewer=viewer, now=now)


def feedback(db: Connection, reference: str, *, delta: float, viewer: Origin, now: int) -> Amended:
    """Move importance and confidence of an active fact by `delta`; praise counts as a use."""

    def step(named: Sequence[Fact]) -> list[Fact]:
        check_active(named[0], "be judged")
        return _stored(db, named, lambda fact: _warmed(db, fact, delta, now=now))

    return _amend(db, "feedback", [reference], step, viewer=viewer, now=now)


def _warmed(db: Connection, fact: Fact, delta: float, *, now: int) -> Fact:
    from tideline_cli.memory import heat  # noqa: PLC0415  of all that amends, feedback alone

    return heat.warmed(db, fact, policy.judged(fact, delta, now=now), now=now)


def check_active(fact: Fact, action: str) -> None:
    """Raise WriteBlockedError when the fact is archived or pruned."""
    if fact.lifecycle != "active":
        raise WriteBlockedError(
            f"{fact.id} is {fact.lifecycle} and cannot {action}",
            hint=f"`tideline restore {fact.id}` brings it back",
            code="not_active",
        )


def clipped(text: str, most: int = _SHOWN) -> str:
    """Return the beginning of a text on one line, for a message about it."""
    parts = (" ".join(part.split()) for part in text.strip().split("\n"))
    line = " ⏎ ".join(part for part in parts if part)
    return line if len(line) <= most else line[: most - 1] + "…"


def _amend(
    db: Connection,
    verb: str,
    references: Sequence[str],
    step: Callable[[Sequence[Fact]], list[Fact]],
    *,
    viewer: Origin,
    now: int,
    settled: Collection[str] = (),
) -> Amended:
    """Find the facts named and change them by `step`, which returns them as they are then; it may
    fill `settled` with the ids of facts that look as before."""
    kept: tuple[Fact, ...] = ()
    try:
        with journal.batch(db, verb=verb, by=viewer, now=now) as batch:
            named = facts.named(db, references, viewer=viewer)
            after = step(named)
            is_changed = [
                new != old or new.id in settled for old, new in zip(named, after, strict=True)
            ]
            changed = tuple(compress(after, is_changed))
            kept = tuple(compress(after, map(not_, is_changed)))
            if not changed:
                raise NothingToDo
            return Amended(changed, kept, batch.ordinal, settled=frozenset(settled))
    except NothingToDo:
        return Amended((), kept, None)


def _stored(db: Connection, named: Sequence[Fact], change: Callable[[Fact], Fact]) -> list[Fact]:
    after = [change(fact) for fact in named]
    _store(db, named, after)
    return after


def _store(db: Connection, before: Sequence[Fact], after: Sequence[Fact]) -> None:
    for old, new in zip(before, after, strict=True):
        writes.change(db, old, new)
        used = (new.access_count, new.last_accessed_at)
        if (old.access_count, old.last_accessed_at) != used:
            uses.put_of(db, new)
