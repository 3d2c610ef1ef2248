"""Storing rows by the rules of remember: a row that says what is known restates it, at the time
of the row."""

from __future__ import annotations

from tideline_cli.exchange.importer.cells import with_progress
from tideline_cli.exchange.importer.later_states import LaterStates
from tideline_cli.memory import remember
from tideline_cli.memory.near_duplicates import rule_of, twins
from tideline_cli.memory.screening import refuse_untrusted
from tideline_cli.model.edge import SIMILAR
from tideline_cli.model.fact import said_again
from tideline_cli.model.fields import LABELS
from tideline_cli.model.record import replace
from tideline_cli.model.source import is_trusted
from tideline_cli.model.text import said_terms
from tideline_cli.policy import gate
from tideline_cli.policy.periods import holds_from, of_one_period
from tideline_cli.policy.sameness import (
    MOST_SIMILAR,
    SAME_TERMS,
    jaccard,
    may_be_one_chunk,
    state_the_same,
)
from tideline_cli.store import facts, links, references, slots, uses, writes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from apsw import Connection

    from tideline_cli.exchange.importer.destination import Destination
    from tideline_cli.exchange.importer.prepared import Prepared
    from tideline_cli.exchange.importer.rows import ImportContext
    from tideline_cli.exchange.importer.summary import ImportSummary
    from tideline_cli.model.fact import Fact
    from tideline_cli.policy.sameness import Sameness
    from tideline_cli.store import journal

# Every fact has these, and work the last, so that a row with none of its own gives the usual ones.
_FILLED_IN = ("segment", "tier", "importance", "progress")
# Nobody misses these of an older row: it cites what it cites, its beginning is taken where it may
# be, and its confidence does not count.
_NOT_MISSED = ("confidence", "valid_from", "derived_from")
_LABELS = tuple(
    name for name in LABELS if name not in ("segment", "tier", "importance", *_NOT_MISSED)
)


class Merger:
    """The rules of remember for one import."""

    def __init__(
        self,
        db: Connection,
        context: ImportContext,
        destination: Destination,
        summary: ImportSummary,
    ) -> None:
        self._db = db
        self._context = context
        self._destination = destination
        self._summary = summary
        self._rule: Sameness = rule_of(db)
        self._states = LaterStates(db, context, destination, summary)
        self._heard: set[str] = set()  # ids of facts that this file has stated: repeats are no use

    def take(self, ready: Prepared, batch: journal.batch) -> None:
        """Store a row, or restate the fact that says the same; raise the error that forbids it.

        A row that is in the store under its own id brings the fact there to its state, if that is
        the later one. A row that was forgotten or replaced states nothing about today: it is stored
        as it is, and ends what says the same and was not said since.
        """
        fact = self._destination.row_links.citing(ready.fact)
        there = self._destination.row_ids.known(ready, fact)
        if there is not None and ready.row.get("id"):
            self._states.bring(ready, fact, there)
            return
        if fact.lifecycle != "active":
            self._states.put_gone(ready)
            return
        if fact.document is not None:
            self._put_chunk(ready, fact)
            return
        fact = self._destination.row_ids.vouched(fact, ready)
        self._admit(ready, fact)
        same, alike = self._found(ready, fact)
        known = next((one for one in same if _may_be_one(one, fact)), None)
        if fact.slot is not None and ready.row.get("id"):
            known = None  # a statement of its own: the time line shows which one holds
        at = self._destination.times.surely(ready.row, ready.fact)
        gone = self._states.copies.forgotten(fact, at)
        if known is not None and fact.created_at >= known.created_at:
            self._restate(ready, fact, known, batch)
        elif known is not None and fact.slot is None:
            self._confirm(ready, fact, known)
        elif there is not None and state_the_same(there, fact, rule=self._rule):
            self._destination.present(ready, fact, there)  # forgotten, replaced or ended since
        elif gone is not None and there is None:
            self._summary.forgotten += 1
            self._destination.present(ready, fact, gone)
        else:
            self._put(ready, alike)

    def _put_chunk(self, ready: Prepared, fact: Fact) -> None:
        """Store a chunk of a document, unless the document has it: a chunk is never one with what
        other facts say. Only a file that is vouched for brings any."""
        refuse_untrusted(fact, ready.screen)
        gate.check(fact.segment, fact.source, ())
        gate.check_permanence(fact.source, fact.tier, fact.pinned, None)
        same = self._states.copies.active(ready)
        gone = self._states.copies.forgotten(
            fact, self._destination.times.surely(ready.row, ready.fact)
        )
        if same:
            self._destination.present(ready, fact, same[0])
        elif gone is not None:
            self._summary.forgotten += 1
            self._destination.present(ready, fact, gone)
        else:
            self._put(ready, [])

    def settle(self) -> None:
        """Let every slot that rows have named hold one value."""
        self._states.settle()

    def _admit(self, ready: Prepared, fact: Fact) -> None:
        """Raise WriteBlockedError for what the write-gate or the scan refuses."""
        gate.check(fact.segment, fact.source, ())
        gate.check_permanence(fact.source, fact.tier, fact.pinned, None)  # chunks go their own way
        cited = (
            references.source_of(self._db, one, viewer=fact.origin) for one in fact.derived_from
        )
        gate.check_descent(fact.source, [source for source in cited if source is not None])
        refuse_untrusted(fact, ready.screen)

    def _found(self, ready: Prepared, fact: Fact) -> tuple[list[Fact], list[Fact]]:
        """Return the active facts of the same trust that say what a row says, those of its slot
        first; and those much like it that say something else and still held then."""
        same: list[Fact] = []
        alike: list[Fact] = []
        distinct = frozenset(ready.terms.said)
        for mate, held in self._mates(fact):
            is_alike = jaccard(distinct, frozenset(said_terms(held))) >= SAME_TERMS
            if is_alike and _is_like(mate, fact) and state_the_same(mate, fact, rule=self._rule):
                same.append(mate)
        origin = self._destination.number(fact.origin)
        for rival in twins(
            self._db,
            fact.content,
            distinct,
            viewer=fact.origin,
            origin_number=origin,
            rule=self._rule,
        ):
            if not _is_like(rival.fact, fact) or (fact.slot and rival.fact.slot):
                continue
            if state_the_same(rival.fact, fact, rule=self._rule):
                same.append(rival.fact)
                if fact.slot is None and _may_be_one(rival.fact, fact):
                    break
            elif rival.fact.valid_to is None or rival.fact.valid_to > fact.created_at:
                alike.append(rival.fact)
        return same, alike

    def _mates(self, fact: Fact) -> list[tuple[Fact, str]]:
        if fact.slot is None:
            return []
        return slots.values_in(self._db, fact.slot, scope=fact.scope, viewer=fact.origin)

    def _restate(
        self, ready: Prepared, fact: Fact, known: Fact, batch: journal.batch
    ) -> None:
        """Say what is known again, at the time of a row that is no older than it."""
        if fact.slot is not None and len(self._mates(fact)) > 1:
            self._destination.settle([known])
            if facts.find(self._db, known.id, viewer=known.origin).lifecycle != "active":
                self._put(ready, [])
                return
        done = self._remembered(ready, fact, batch, heard=known.id)
        if done.action != "reinforced":
            self._complete(fact, ready, done)
            return
        if done.fact.id == known.id:
            self._use(ready, fact, known, done.fact)
        self._summary.reinforced += 1
        self._summary.not_taken += bool(done.not_taken)
        self._destination.taken(ready, done.fact)
        self._heard.add(done.fact.id)
        self._states.in_slot(done.fact)
        self._states.note_times(ready, done.fact)

    def _confirm(self, ready: Prepared, fact: Fact, known: Fact) -> None:
        """Let a known fact hold since an older row has said it; of labels the later word stands."""
        assumed = _assumed(ready)
        # Where the known fact has a slot, that may have held another value then.
        if holds_from(fact) < holds_from(known) and known.slot is None:
            writes.change(self._db, known, replace(known, valid_from=holds_from(fact)))
        self._use(ready, fact, known, known)
        self._summary.reinforced += 1
        self._summary.not_taken += any(
            getattr(fact, name) not in (None, (), False, getattr(known, name))
            for name in _LABELS
            if name not in assumed
        )
        self._destination.taken(ready, known)
        self._heard.add(known.id)
        self._states.note_times(ready, known)

    def _use(self, ready: Prepared, fact: Fact, known: Fact, at: Fact) -> None:
        """Count a restatement as a use of what is known, if it is a new one: later than the last
        use, by a row that states its time, which a second run therefore counts no more; of rows
        that nobody vouches for, or that state no time, one a fact and run. `at` has the use that
        is stored."""
        has_time = ready.row.get("created_at") is not None
        is_new = fact.created_at > known.last_accessed_at or not has_time
        if known.id in self._heard and not (has_time and self._context.trusted):
            is_new = False
        count = known.access_count + is_new
        last = max(known.last_accessed_at, fact.created_at) if is_new else known.last_accessed_at
        count, last = max(count, fact.access_count), max(last, fact.last_accessed_at)
        if (count, last) != (at.access_count, at.last_accessed_at):
            uses.put(self._db, known.id, access_count=count, last_accessed_at=last)

    def _put(self, ready: Prepared, alike: list[Fact]) -> None:
        """Store a row as a fact of its own, linked to the nearest that are much like it."""
        added = self._destination.put(ready)
        if added is None:
            return
        self._heard.add(added.id)
        similar = alike[:MOST_SIMILAR] if added.slot is None else []
        for like in similar:
            links.add(self._db, links.Link(added.id, SIMILAR, like.id, created_at=added.created_at))
        self._summary.similar += bool(similar)
        self._states.in_slot(added)

    def _complete(self, fact: Fact, ready: Prepared, done: remember.Remembered) -> None:
        """Give a fact that remember took for another one than the known what only a row states."""
        stated = replace(done.fact, heat=fact.heat, status=fact.status, decay_rate=fact.decay_rate)
        writes.change(self._db, done.fact, stated)
        self._destination.put_use(replace(fact, id=stated.id))
        self._destination.added(ready, stated)
        self._summary.superseded += len(done.superseded)
        self._heard.add(stated.id)
        self._states.in_slot(stated)
        self._states.note_times(ready, stated)

    def _remembered(
        self, ready: Prepared, fact: Fact, batch: journal.batch, *, heard: str
    ) -> remember.Remembered:
        said = said_again(fact, source=fact.source, assumed=_assumed(ready))
        new = replace(said, heat=fact.heat)
        return remember.remember_in_batch(
            self._db, new, batch=batch, fact_id=self._destination.row_ids.free(ready, fact),
            now=fact.created_at, screen=ready.screen, heard=(heard,),
            into=self._destination.number(fact.origin),
        )  # fmt: skip


def _assumed(ready: Prepared) -> tuple[str, ...]:
    """Return the labels that a fact has and that its row does not state."""
    row = with_progress(ready.row)
    return tuple(name for name in _FILLED_IN if row.get(name) is None)


def _may_be_one(known: Fact, fact: Fact) -> bool:
    """Say whether a known fact and a row that says the same may be one: they hold for the same
    time. In a slot an older word is a value of its own, which the later one ends; and a value that
    had ended before the row was said, or began, is another."""
    if known.slot is None and fact.slot is None:
        is_over = known.valid_to is not None and known.valid_to <= fact.created_at
        return of_one_period(known, fact) and not is_over
    if fact.created_at >= known.created_at:
        return known.valid_to is None or known.valid_to > max(fact.created_at, holds_from(fact))
    return fact.slot is None and (fact.valid_to is None or fact.valid_to >= holds_from(known))


def _is_like(known: Fact, fact: Fact) -> bool:
    is_alike = known.scope == fact.scope and may_be_one_chunk(known, fact)
    return is_alike and is_trusted(known.source) == is_trusted(fact.source)
