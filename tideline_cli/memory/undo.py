"""undo: take a whole batch back, exactly, or say what stands in the way: the plan of the rows that
go back to what they were, and doing it."""

from __future__ import annotations

from itertools import islice

from tideline_cli.config.settings import DEFAULT_EMBEDDER
from tideline_cli.errors import NotFoundError, TidelineError, UsageError, WriteBlockedError
from tideline_cli.memory.lanes import embedder_of, is_slow
from tideline_cli.memory.semantic import embed_waiting
from tideline_cli.model import codec
from tideline_cli.model.edge import kinds_under
from tideline_cli.model.record import record, replace
from tideline_cli.store import (
    common_postings,
    fts,
    history,
    journal,
    reads,
    score_bounds,
    sessions,
    undo_rows,
    vectors,
)
from tideline_cli.store.connection import SYNCED, setting, snapshot, writing
from tideline_cli.store.history import Batch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from apsw import Connection

    from tideline_cli.model.origin import Origin
    from tideline_cli.model.text import Analyzer
    from tideline_cli.store.history import StandingBatch
    from tideline_cli.store.undo_rows import Conflict, Row, Trail, Trails, Use

FINAL = ("purge", "retention")
"""Verbs of batches that cannot be taken back."""
_CAME = "sync"
BESIDE = ("recall", _CAME)
"""Verbs of batches that nobody meant to make here: they are taken back by their number alone. What
another machine said can come at any moment, by cron, between a command and its undo."""
_OF_TURNS = ("sessions", "undo", "redo")
"""Verbs of batches that may show and hide turns of sessions."""
_HINT = "`tideline history` shows the batches of this origin"


@record
class Undone:
    """What an undo did, or would do: `batch` is its own number, 0 in a dry run; facts by id.
    `passed` holds the numbers of the newer batches that came by a sync and stay, newest first."""

    batch: int
    undone: int
    verb: str
    removed: tuple[str, ...]
    restored: tuple[str, ...]
    changed: tuple[str, ...]
    links_removed: int
    links_restored: int
    turns_removed: int = 0
    turns_restored: int = 0
    passed: tuple[int, ...] = ()


def undo(
    db: Connection, ordinal: int | None, *, viewer: Origin, now: int, dry_run: bool = False
) -> Undone:
    """Take back the batch with this number, also an undo; without one the newest batch that stands
    and is no undo, so that the next call steps further back. After a redo that is what it brought
    back, whatever was written before the redo. What came by a sync is no step.

    Raises NotFoundError for a batch that the viewer does not have and WriteBlockedError where
    later changes would be lost; then nothing has changed.
    """
    if ordinal is not None:
        batch = _named(db, ordinal, viewer)
        return take_batch_back(db, batch, viewer=viewer, now=now, dry_run=dry_run)
    came: list[int] = []
    back = _steps_back(db, viewer, came)
    while True:
        with snapshot(db):
            step = next(back, None)
            if step is None:
                break
            _, batch, count = step
            if batch.verb in FINAL:
                raise _final(
                    batch, next((one for _, one, _ in back if one.verb not in FINAL), None)
                )
            bulk = count > MANY
        passed = tuple(came)
        try:
            done = take_batch_back(db, batch, viewer=viewer, now=now, dry_run=dry_run, bulk=bulk)
            return replace(done, passed=passed)
        except NothingLeftError:  # others have taken back what it did: the step is no step
            continue
    synced = "all of it came by a sync: `tideline undo {}` takes back the newest batch"
    hint = synced.format(came[0]) if came else _HINT
    raise NotFoundError("there is nothing to undo", hint=hint)


def undoable(db: Connection, *, viewer: Origin, limit: int) -> list[StandingBatch]:
    """Return what `undo` would take back, newest first: one batch a call."""
    return [step for step, *_ in islice(_steps_back(db, viewer, []), limit)]


def take_batch_back(
    db: Connection, batch: Batch, *, viewer: Origin, now: int, dry_run: bool,
    bulk: bool | None = None,
) -> Undone:  # fmt: skip
    """Take back one batch, as an undo."""
    if bulk is None:
        bulk = undo_rows.fact_count(db, batch) > MANY
    why = f"batch {batch.ordinal} ({batch.verb})"
    plan, own = _taken_back(
        db, batch, "undo", why, viewer=viewer, now=now, dry_run=dry_run, bulk=bulk
    )
    return _report(batch, plan, own)


def _taken_back(
    db: Connection, batch: Batch, verb: str, reason: str, *, viewer: Origin, now: int,
    dry_run: bool, bulk: bool,
) -> tuple[UndoPlan, int]:  # fmt: skip
    """Take back one batch, as a batch with this verb and reason; return what that did, and the
    number of the new batch, 0 in a dry run."""
    if dry_run:
        with snapshot(db):
            return plan_undo(db, batch, viewer=viewer), 0
    with journal.batch(db, verb=verb, by=viewer, now=now, bulk=bulk) as own:
        plan = plan_undo(db, batch, viewer=viewer)
        own.explain(reason, undoes=batch.number)
        waiting = apply_undo(db, plan, bulk=bulk)
        sessions.take_back(db, own, plan.turns)
        name = "" if is_slow(db) else setting(db, "embedder", DEFAULT_EMBEDDER)
    for origin in waiting:
        embed_missing(db, origin, name)
    return plan, own.ordinal


def _steps_back(
    db: Connection, viewer: Origin, came: list[int]
) -> Iterator[tuple[StandingBatch, Batch, int]]:
    """Yield the batches that stand, are no undo and changed anything, newest first, each with the
    count of facts that it added or deleted; what a redo
    brought back is as new as the redo. A purge counts, although the journal keeps no changes of it;
    the heat that a recall moved is no step, and what came by a sync, added to `came`."""
    for step in history.back(db, viewer=viewer):
        if step.verb == _CAME:
            came.append(step.ordinal)
        if step.verb in BESIDE:
            continue
        texts = (history.BY_NUMBER, history.HAS_CHANGES, undo_rows.FACT_COUNT)
        found, has, count = reads.together(db, *(reads.asked(sql, (step.number,)) for sql in texts))
        batch = Batch(*found[0]) if found else None
        if batch is not None and (batch.verb in FINAL or has[0][0]):
            yield step, batch, int(count[0][0])


def _final(batch: Batch, older: Batch | None) -> WriteBlockedError:
    """Return the error of a step back that would pass what is final. What is older was not asked
    for: it is to be looked at and named."""
    said = f"the last batch ({batch.ordinal}, {batch.verb}) is final"
    if older is None:
        return WriteBlockedError(said, hint="there is nothing older to undo", code="undo_conflict")
    return WriteBlockedError(
        said,
        hint="`tideline undo --list` shows older ones, which `tideline undo BATCH` takes back; the "
        f"newest is {older.ordinal} ({older.verb})",
        code="undo_conflict",
    )


def _named(db: Connection, ordinal: int, viewer: Origin) -> Batch:
    """Return the batch with this number; raise an error when it is final, blocked or empty."""
    batch = history.find(db, ordinal, viewer=viewer)
    if batch is None:
        raise NotFoundError(f"no such batch: {ordinal}", hint=_HINT)
    if batch.outcome == "blocked":
        raise UsageError(f"batch {ordinal} was blocked: it changed nothing", hint=_HINT)
    if batch.verb in FINAL:
        raise WriteBlockedError(
            f"batch {ordinal} ({batch.verb}) cannot be undone: what it removed is gone for good",
            hint="`tideline forget` is the way that can be taken back",
            code="undo_conflict",
        )
    if not history.has_changes(db, batch):
        raise WriteBlockedError(
            f"batch {ordinal} changed nothing that is still there", hint=_HINT,
            code="undo_conflict",
        )  # fmt: skip
    return batch


def _report(batch: Batch, plan: UndoPlan, own: int) -> Undone:
    restored = sorted(plan.awoken | set(plan.facts.back))
    silent = {seq for seq in plan.uses if seq in plan.ids}
    changed = sorted((set(plan.facts.changed) | silent) - set(restored))
    return Undone(
        own,
        batch.ordinal,
        batch.verb,
        tuple(plan.ids[seq] for seq in sorted(plan.facts.gone)),
        tuple(plan.ids[seq] for seq in restored),
        tuple(plan.ids[seq] for seq in changed),
        *plan.edges,
        len(plan.turns.get("+", ())),
        len(plan.turns.get("-", ())),
    )


@record
class Redone:
    """What a redo did, or would do: `back` is the batch that stands again, `done` what became of
    the rows, `passed` why each newer undo was left as it is, and `kept` the number and verb of each
    batch that was made since that undo and stands: it stays, as an undo of an older batch leaves
    newer ones."""

    back: Batch
    done: Undone
    passed: tuple[str, ...]
    kept: tuple[tuple[int, str], ...]


def redo(db: Connection, *, viewer: Origin, now: int, dry_run: bool = False) -> Redone:
    """Bring back what the newest undo took, unless something later stands against that: then what
    the one before it took.

    Raises NotFoundError where no undo stands, and WriteBlockedError where none can be taken back.
    """
    passed: list[WriteBlockedError] = []
    for undone, back, count in _undos(db, viewer):
        try:
            plan, own = _taken_back(
                db, undone, "redo", f"batch {back.ordinal} ({back.verb})", viewer=viewer, now=now,
                dry_run=dry_run, bulk=count > MANY,
            )  # fmt: skip
        except WriteBlockedError as error:
            passed.append(error)
            continue
        reasons = tuple(error.message for error in passed)
        kept = _kept(db, [step for step in plan.newer if not step.undoes and step.ordinal != own])
        return Redone(back, _report(undone, plan, own), reasons, kept)
    if passed:
        raise passed[0]
    raise NotFoundError("there is nothing to redo", hint="redo takes back an undo")


def _kept(db: Connection, made: Sequence[StandingBatch]) -> tuple[tuple[int, str], ...]:
    """Return which of the batches that were made after an undo have changed anything, the oldest
    first."""
    found = reads.together(db, *(reads.asked(history.HAS_CHANGES, (step.number,)) for step in made))
    told = [(step.ordinal, step.verb) for step, rows in zip(made, found, strict=True) if rows[0][0]]
    return tuple(reversed(told))


def _undos(db: Connection, viewer: Origin) -> Iterator[tuple[Batch, Batch, int]]:
    """Yield the steps back that stand, newest first, each with the batch that stands again once it
    is taken back, and the count of facts that it added or deleted."""
    chains = history.Chains(db, viewer=viewer)
    for step in history.standing(db, viewer=viewer, chains=chains):
        if step.undoes is None or chains.bring_back(step.undoes):
            continue
        found, meant, has, count = reads.together(
            db, reads.asked(history.BY_NUMBER, (step.number,)),
            reads.asked(history.BY_NUMBER, (chains.first(step.undoes),)),
            reads.asked(history.HAS_CHANGES, (step.number,)),
            reads.asked(undo_rows.FACT_COUNT, (step.number,)),
        )  # fmt: skip
        if found and meant and has[0][0]:
            yield Batch(*found[0]), Batch(*meant[0]), int(count[0][0])


MANY = 500  # facts that come and go; for more the index is made anew, and vectors come later
_FEW = 32  # the same for a learned embedder
_EMBED_AT_ONCE = 1000


class NothingLeftError(WriteBlockedError):
    """What a batch did is gone already: there is nothing to take back."""


_NAMED = 3
_PLACE = frozenset(("lifecycle", "slot", "scope", "valid_from", "valid_to"))


@record
class Reversal:
    """What happens to rows of a table, by number: they go, come back, or get values back."""

    gone: tuple[int, ...]
    back: dict[int, Row]
    changed: dict[int, Row]


@record
class UndoPlan:
    """All that an undo does. `ids` names the facts, those that go and come included; `unstated`
    are edges that go with a fact, and that no machine has stated. `newer` are the batches that
    stand and came after the one that is taken back, newest first. `turns` of sessions that the
    batch has shown (+) are hidden, and those that it has hidden (-) shown."""

    facts: Reversal
    links: Reversal
    unstated: frozenset[int]
    uses: dict[int, Row | None]
    ids: dict[int, str]
    awoken: frozenset[int]  # facts that become active again
    edges: tuple[int, int]  # how many edges go and come back
    newer: tuple[StandingBatch, ...]
    turns: Mapping[str, Sequence[int]]


def plan_undo(db: Connection, batch: Batch, *, viewer: Origin) -> UndoPlan:
    """Return what takes the batch back; raise WriteBlockedError when something would be lost."""
    newer, touched, synced = reads.together(
        db, history.newest(batch.number, viewer=viewer), undo_rows.touched(batch),
        reads.asked(SYNCED),
    )  # fmt: skip
    _refuse_undone(batch, newer)
    trails = undo_rows.trails(db, batch, touched)
    if any(trail.now is None for trail in trails.links.values()):
        from tideline_cli.store import parted_edges  # noqa: PLC0415  few edges are gone at an undo

        trails = parted_edges.followed(db, trails, batch)
    facts, links = _reversal(trails.facts), _reversal(trails.links)
    ids = {seq: _id(trail) for seq, trail in trails.facts.items()} | trails.used
    unstated = _unstated(db, facts) if synced else frozenset()
    found = list(dict.fromkeys([
        *_lost_changes(db, trails, is_synced=bool(synced)),
        *_conflicts(db, trails, facts, links, unstated),
    ]))  # fmt: skip
    if found:
        raise _refusal(db, batch, found, ids, viewer)
    uses = _uses(trails.uses, there=trails.used.keys() - facts.gone | facts.back.keys())
    of_turns = batch.verb in _OF_TURNS
    turns = sessions.turned_by(db, batch.number, viewer=viewer) if of_turns else {}
    if not (
        uses or turns or any(some.gone or some.back or some.changed for some in (facts, links))
    ):
        raise NothingLeftError(
            f"batch {batch.ordinal} has left nothing to take back",
            hint="what it did was taken back by other commands",
            code="undo_conflict",
        )
    edges = _edge_count(trails, links.gone), _edge_count(trails, links.back)
    return UndoPlan(facts, links, unstated, uses, ids, _awoken(facts), edges, tuple(newer),
                    turns)  # fmt: skip


def _unstated(db: Connection, facts: Reversal) -> frozenset[int]:
    """Return the edges of facts that go which no machine has stated, in a memory that syncs."""
    if not facts.gone:
        return frozenset()
    from tideline_cli.store import sync_changes  # noqa: PLC0415  few memories sync

    return sync_changes.shown_edges(db, facts.gone)


def _edge_count(trails: Trails, rows: Iterable[int]) -> int:
    """Return how many edges some rows stand for."""
    states = (trails.links[row].now or trails.links[row].before for row in rows)
    return sum(len(kinds_under(codec.loads(state)["kind"])) for state in states if state)


def _refuse_undone(batch: Batch, newer: Iterable[StandingBatch]) -> None:
    undone_by = next((step.ordinal for step in newer if step.undoes == batch.number), 0)
    if undone_by:
        raise WriteBlockedError(
            f"batch {batch.ordinal} was taken back already, by batch {undone_by}",
            hint=f"`tideline undo {undone_by}` brings it back",
            code="undo_conflict",
        )


def _awoken(facts: Reversal) -> frozenset[int]:
    """Return the facts that become active again."""
    back = {seq for seq, row in facts.back.items() if row["lifecycle"] == "active"}
    changed = {seq for seq, row in facts.changed.items() if row.get("lifecycle") == "active"}
    return frozenset(back | changed)


def _uses(uses: dict[int, Use], *, there: Collection[int]) -> dict[int, Row | None]:
    """Return the uses that an undo changes, of facts that are there afterwards."""
    wanted = {seq: (_used(use), use.now) for seq, use in uses.items() if seq in there}
    return {seq: used for seq, (used, now) in wanted.items() if _counted(used) != _counted(now)}


def _counted(use: Row | None) -> tuple[int, int] | None:
    return None if use is None else (use["access_count"], use["last_accessed_at"])


def _reversal(trails: dict[int, Trail]) -> Reversal:
    moved = {row: trail for row, trail in trails.items() if trail.before != trail.now}
    return Reversal(
        tuple(row for row, trail in moved.items() if trail.before is None),
        {
            row: codec.loads(trail.before)
            for row, trail in moved.items()
            if trail.before is not None and trail.now is None
        },
        {
            row: values
            for row, trail in moved.items()
            if trail.before is not None and trail.now is not None
            and (values := undo_rows.changed_values(trail))
        },
    )


def _id(trail: Trail) -> str:
    return str(codec.loads(trail.now or trail.before or '{"id": ""}')["id"])


def _used(use: Use) -> Row | None:
    """Return the use of a fact without what the batch added to it."""
    if use.now is None:
        return use.before if use.after is None else None
    count = use.now["access_count"] - use.count
    if use.before is None and count <= 0:
        return None
    last = use.now["last_accessed_at"]
    if use.before is not None and use.after is None:
        last = max(last, use.before["last_accessed_at"])
    elif use.before is not None and use.after is not None:
        was = use.after["last_accessed_at"]
        last = use.before["last_accessed_at"] if last == was else last
    return {"access_count": max(0, count), "last_accessed_at": last}


def _conflicts(
    db: Connection, trails: Trails, facts: Reversal, links: Reversal, unstated: frozenset[int]
) -> Iterator[Conflict]:
    """Yield what stands in the way of facts that go, of edges and facts that come back, and of
    facts that hold again."""
    gone, edges, awoken = frozenset(facts.gone), frozenset(links.gone), _awoken(facts)
    holding = _holding(trails, facts, awoken)
    *found, replaced = reads.together(
        db, undo_rows.edges_of_removed(gone, but=edges | unstated),
        undo_rows.missing_ends(links.back.values(), gone=gone, back=facts.back),
        undo_rows.same_edges(links.back.values(), gone=edges),
        undo_rows.same_ids(facts.back.values(), gone=gone),
        *(undo_rows.in_its_slot(*one, but=trails.facts) for one in holding.values()),
        undo_rows.replaced_ones(holding),
    )  # fmt: skip
    changed = {seq for seq, row in facts.changed.items() if "lifecycle" in row}
    ending = gone | changed - awoken
    back = {
        seq for seq, trail in trails.facts.items()
        if trail.before is not None and codec.loads(trail.before)["lifecycle"] == "active"
    } - ending  # fmt: skip
    found += reads.together(db, *(
        undo_rows.replaced(*holding[seq], inactive=ending, back=back, but=edges) for seq in replaced
    ))  # fmt: skip
    for some in found:
        yield from some


def _lost_changes(db: Connection, trails: Trails, *, is_synced: bool) -> Iterator[Conflict]:
    """Yield the later changes of the facts and edges that go back to what they were."""
    for seq, trail in trails.facts.items():
        if trail.before != trail.now and not (is_synced and _is_own(db, seq, trail)):
            yield from (undo_rows.Conflict(batch, "changed", seq) for batch in trail.lost)
    for trail in trails.links.values():
        if trail.before != trail.now and trail.lost:
            edge = codec.loads(trail.now or trail.before or "{}")
            end = edge.get("from_fact", 0)
            yield from (undo_rows.Conflict(batch, "linked", end) for batch in trail.lost)


def _is_own(db: Connection, seq: int, trail: Trail) -> bool:
    """Say whether a fact that goes has changed only by what another machine said of another one."""
    if trail.before is not None or not trail.lost:
        return False
    from tideline_cli.store import sync_changes  # noqa: PLC0415  few memories sync

    return sync_changes.only_shown(db, seq, trail.lost)


def _holding(trails: Trails, facts: Reversal, awoken: frozenset[int]) -> dict[int, tuple[int, Row]]:
    """Return the facts that will hold when, or where, they do not now, each with the change since
    which and as it will be."""
    moved = {seq for seq, row in facts.changed.items() if not _PLACE.isdisjoint(row)}
    found: dict[int, tuple[int, Row]] = {}
    for seq in sorted(awoken | moved):
        row: Row = codec.loads(trails.facts[seq].before or "{}")
        if row["lifecycle"] == "active":
            found[seq] = trails.facts[seq].first, row
    return found


def _refusal(
    db: Connection, batch: Batch, found: list[Conflict], ids: dict[int, str], viewer: Origin
) -> WriteBlockedError:
    """Return the error that names what stands in the way, the first few."""
    ids = ids | undo_rows.known_ids(db, [conflict.fact for conflict in found])
    known = {number: history.by_number(db, number) for number in {c.batch for c in found}}
    told: list[str] = []
    for conflict in found[:_NAMED]:
        other = known[conflict.batch]
        if other is None:
            who = "a change from outside tideline"
        elif other.origin != viewer.key:
            who = f"{other.verb} of another origin"
        else:
            who = f"batch {other.ordinal} ({other.verb})"
        told.append(f"{who} {conflict.deed} {ids.get(conflict.fact, 'a fact')}")
    if len(found) > _NAMED:
        told.append(f"and {len(found) - _NAMED} more")
    own = [other.ordinal for other in known.values() if other and other.origin == viewer.key]
    return WriteBlockedError(
        f"batch {batch.ordinal} cannot be undone: {', '.join(told)}",
        hint=f"undo batch {max(own)} first" if own else "that cannot be undone from here",
        code="undo_conflict",
    )


def apply_undo(db: Connection, plan: UndoPlan, *, bulk: bool) -> set[int]:
    """Do what the plan says, in the caller's batch; return the origins that wait for vectors."""
    if bulk:
        fts.leave(db)
    undo_rows.delete(db, "link", {*plan.links.gone, *plan.unstated})
    undo_rows.delete(db, "fact", plan.facts.gone)
    vectors.remove(db, plan.facts.gone)
    analyzer: Analyzer = setting(db, "analyzer", "standard")
    undo_rows.insert_facts(db, plan.facts.back.values(), analyzer=analyzer)
    for entity, reversal in (("fact", plan.facts), ("link", plan.links)):
        undo_rows.update(db, entity, reversal.changed)
    undo_rows.insert_links(db, plan.links.back.values())
    undo_rows.put_uses(db, plan.uses)
    score_bounds.forget(db, plan.facts.gone)
    score_bounds.put_of(db, {*plan.uses, *plan.facts.back})
    if bulk:
        fts.rebuild(db)
    common_postings.correct(db, {*plan.facts.gone, *plan.facts.back})
    return _vectors_back(db, plan.facts.back)


def embed_missing(db: Connection, origin_number: int, name: str) -> None:
    """Make the vectors of an embedder that are missing, in short transactions; on a server, where
    each takes some round trips, in one. After an error the next recall makes the rest, and a slow
    embedder, which has no name here, is left to it."""
    limit = -1 if reads.has_trips(db) else _EMBED_AT_ONCE
    try:
        done = limit if name else 0
        while done == limit:
            waiting = vectors.waiting(origin_number=origin_number, embedder=name, limit=limit)
            with (turn := writing(db, waiting)):
                if setting(db, "embedder", DEFAULT_EMBEDDER) != name:
                    return
                done = embed_waiting(db, turn.said, origin_number=origin_number)
    except TidelineError:
        return


def _vectors_back(db: Connection, back: dict[int, Row]) -> set[int]:
    """Give vectors to the facts that come back: at once where they are few; else return the
    origins that wait, to be embedded later in order of arrival."""
    by_origin: dict[int, dict[int, str]] = {}
    for seq, row in back.items():
        by_origin.setdefault(row["origin"], {})[seq] = row["content"]
    waiting: set[int] = set()
    for origin, texts in by_origin.items():
        if not _put_back(db, texts, origin):
            vectors.rewind(db, min(texts), origin_number=origin)
            waiting.add(origin)
    return waiting


def _put_back(db: Connection, texts: dict[int, str], origin_number: int) -> bool:
    """Embed facts among those of their origin that have vectors; say whether that was possible."""
    try:
        embedder = embedder_of(db)
        # A model is slow, and this is a transaction.
        if len(texts) > (_FEW if getattr(embedder, "learned", False) else MANY):
            return False
        codes = embedder.embed_packed(list(texts.values())).tobytes()
    except TidelineError:
        return False
    size = len(codes) // len(texts)
    made = {seq: codes[i * size : (i + 1) * size] for i, seq in enumerate(texts)}
    vectors.insert(db, made, origin_number=origin_number, embedder=embedder.name)
    vectors.rewind(db, min(texts), origin_number=origin_number, kept=embedder.name)
    return True
