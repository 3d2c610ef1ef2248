"""Storing rows by the rules of remember: a row that says what is known restates it, at the time
of the row, and brings a fact that is there to the later of their states."""

from __future__ import annotations

from tideline_cli.exchange.importer.cells import with_progress
from tideline_cli.exchange.importer.rows import reason_of
from tideline_cli.memory import remember
from tideline_cli.memory.rivals import rule_of, stating, term_counts, twins
from tideline_cli.memory.screening import refuse_untrusted
from tideline_cli.model.edge import SIMILAR
from tideline_cli.model.fact import said_again
from tideline_cli.model.fields import LABELS
from tideline_cli.model.origin import Origin
from tideline_cli.model.record import replace
from tideline_cli.model.saying import Times
from tideline_cli.model.source import is_trusted
from tideline_cli.model.text import said_terms
from tideline_cli.policy import gate, later_state
from tideline_cli.policy.gate import may_touch
from tideline_cli.policy.later_state import is_forgotten
from tideline_cli.policy.periods import ended, holds_from, of_one_period
from tideline_cli.policy.sameness import (
    MOST_SIMILAR,
    SAME_TERMS,
    jaccard,
    may_be_one_chunk,
    state_the_same,
)
from tideline_cli.store import facts, labels, links, listing, references, uses, writes

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

    # The text of a fact, its slot, and the scope of both; of a chunk its document and its place.

    Text = tuple[str, str | None, str | None, str | None, int | None]

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
        self._stated_ids: set[str] = set()  # of facts that this file has stated: repeats are no use

    def take(self, ready: Prepared, batch: journal.batch) -> None:
        """Store a row, or restate the fact that says the same; raise the error that forbids it.

        A row that is in the store under its own id brings the fact there to its state, if that is
        the later one. A row that was forgotten or replaced states nothing about today: it is stored
        as it is, and ends what says the same and was not said since.
        """
        fact = self._destination.row_links.citing(ready.fact)
        is_named = self._context.are_kept and bool(ready.row.get("id"))
        if is_named and references.is_taken(self._db, fact.id):
            self._destination.kept(ready, fact)
            return
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
        origin = self._destination.number(fact.origin.key)
        counts = term_counts(self._db, distinct, origin_number=origin)
        for rival in twins(
            self._db, fact.content, distinct, counts, viewer=fact.origin, origin_number=origin,
            rule=self._rule,
        ):  # fmt: skip
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
        return labels.active_values(self._db, fact.slot, scope=fact.scope, viewer=fact.origin)

    def _restate(self, ready: Prepared, fact: Fact, known: Fact, batch: journal.batch) -> None:
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
        self._stated_ids.add(done.fact.id)
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
        self._stated_ids.add(known.id)
        self._states.note_times(ready, known)

    def _use(self, ready: Prepared, fact: Fact, known: Fact, at: Fact) -> None:
        """Count a restatement as a use of what is known, if it is a new one: later than the last
        use, by a row that states its time, which a second run therefore counts no more; of rows
        that nobody vouches for, or that state no time, one a fact and run. `at` has the use that
        is stored."""
        has_time = ready.row.get("created_at") is not None
        is_new = fact.created_at > known.last_accessed_at or not has_time
        if known.id in self._stated_ids and not (has_time and self._context.trusted):
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
        self._stated_ids.add(added.id)
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
        self._stated_ids.add(stated.id)
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
            into=self._destination.number(fact.origin.key),
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
    is_alike = is_alike and (known.title == fact.title or None in (known.title, fact.title))
    return is_alike and is_trusted(known.source) == is_trusted(fact.source)


class Copies:
    """Finds the facts with the text of a row: active ones by the index, and those that somebody
    has forgotten or replaced by a table that is read once an origin."""

    def __init__(self, db: Connection, destination: Destination) -> None:
        self._db = db
        self._destination = destination
        self._gone: dict[str, dict[Text, tuple[Fact, int]]] = {}

    def active(self, ready: Prepared) -> list[Fact]:
        """Return the active facts that have the text and the place of a row, oldest first."""
        fact = ready.fact
        found = stating(
            self._db, fact.content, frozenset(ready.terms.said), viewer=fact.origin,
            origin_number=self._destination.number(fact.origin.key),
        )  # fmt: skip
        return [one for one in found if _text(one) == _text(fact) and one.id != fact.id]

    def forgotten(self, fact: Fact, at: Times) -> Fact | None:
        """Return a fact with the text of a row that was forgotten after the row was stated."""
        found = self._of(fact.origin).get(_text(fact))
        if found is None or found[1] <= at.changed_at:
            return None
        return found[0] if may_touch(found[0].source, fact.source) else None

    def note(self, fact: Fact, at: Times) -> None:
        """Note a fact that a row has brought, if it was forgotten."""
        if is_forgotten(fact, at):
            _put(self._of(fact.origin), fact, at)

    def _of(self, origin: Origin) -> dict[Text, tuple[Fact, int]]:
        if origin.key not in self._gone:
            self._gone[origin.key] = self._read(origin)
        return self._gone[origin.key]

    def _read(self, origin: Origin) -> dict[Text, tuple[Fact, int]]:
        found: dict[Text, tuple[Fact, int]] = {}
        times = self._destination.times
        if not times.in_store(origin.key):
            return found  # nothing here was ever changed
        archived = facts.Filter(lifecycle="archived")
        for fact in listing.each(self._db, viewer=origin, wanted=archived):
            at = times.of(fact)
            if is_forgotten(fact, at):
                _put(found, fact, at)
        return found


def _text(fact: Fact) -> Text:
    place = fact.turn if fact.document else None
    return fact.content, fact.slot, fact.scope, fact.document, place


def _put(found: dict[Text, tuple[Fact, int]], fact: Fact, at: Times) -> None:
    known = found.get(_text(fact))
    if known is None or known[1] < at.changed_at:
        found[_text(fact)] = fact, at.changed_at


class LaterStates:
    """What a merge makes of facts that are there, by when their states were stated."""

    def __init__(
        self, db: Connection, context: ImportContext, destination: Destination,
        summary: ImportSummary,
    ) -> None:  # fmt: skip
        self._db = db
        self._context = context
        self._destination = destination
        self._summary = summary
        self.copies = Copies(db, destination)
        # The values of slots that rows have named, by origin, scope and slot.
        self._slots: dict[tuple[str, str | None, str], set[str]] = {}

    def bring(self, ready: Prepared, stated: Fact, there: Fact) -> None:
        """Bring a fact that is there to the state of a row, if that was stated later; its use to
        the higher one."""
        times = self._destination.times
        at, row_at = times.of(there), times.stated_of(ready.row, ready.fact, there)
        after = later_state.brought(there, at, stated, row_at)
        is_same, may = later_state.is_same(there, stated), may_touch(stated.source, there.source)
        self._summary.usurping += not (is_same or may)
        if may and (is_same or after != there):
            self.note_times(ready, there)
        writes.change(self._db, there, after)
        used = self._use_more(stated, there) if self._context.trusted else there
        if after == there:
            self._destination.present(ready, stated, used)
        else:
            self._summary.brought[later_state.change(there, after)] += 1
            self._destination.known(ready, after)
            self.copies.note(after, times.of(after))
        self.in_slot(after)

    def _use_more(self, stated: Fact, there: Fact) -> Fact:
        """Raise the use of a fact to that of a row."""
        count = max(there.access_count, stated.access_count)
        last = max(there.last_accessed_at, stated.last_accessed_at)
        if (count, last) == (there.access_count, there.last_accessed_at):
            return there
        uses.put(self._db, there.id, access_count=count, last_accessed_at=last)
        self._summary.used += 1
        return replace(there, access_count=count, last_accessed_at=last)

    def put_gone(self, ready: Prepared) -> None:
        """Store a row that was forgotten or replaced. If somebody's word has ended it, end also
        what says the same here and was said before that."""
        times = self._destination.times
        fact = self._destination.put(ready) or ready.fact
        at = times.stated(ready.row, ready.fact)
        if not later_state.is_forgotten(fact, at):
            return
        self.copies.note(fact, at)
        for copy in self.copies.active(ready):
            if times.of(copy).changed_at >= at.changed_at:
                continue
            if not may_touch(fact.source, copy.source):
                self._summary.usurping += 1
                continue
            end = fact.valid_to or at.changed_at
            after = ended(copy, at=end, now=max(end, self._context.now))
            writes.change(self._db, copy, after)
            times.bring(copy, Times(at.changed_at, 0), gone="forgotten")
            self._summary.ended += 1

    def note_times(self, ready: Prepared, known: Fact) -> None:
        """Note that a known fact was said when a row has said it, if that is later."""
        times = self._destination.times
        at, row_at = times.of(known), times.stated(ready.row, ready.fact)
        gone = reason_of(ready.row, self._context)
        changed, said = max(at.changed_at, row_at.changed_at), max(at.said_at, row_at.said_at)
        if gone or (changed, said) != (at.changed_at, at.said_at):
            times.bring(known, Times(changed, row_at.said_at), gone=gone)

    def in_slot(self, fact: Fact) -> None:
        """Note that a row has named a value of a slot."""
        if fact.slot is not None:
            self._slots.setdefault((fact.origin.key, fact.scope, fact.slot), set()).add(fact.id)

    def settle(self) -> None:
        """Let every slot that rows have named hold one value: rows may restore a value before the
        row comes that ends its rival."""
        for (key, scope, slot), come in self._slots.items():
            values = labels.painted_values(self._db, slot, scope=scope, viewer=Origin(key))
            self._destination.settle(value for value in values if value.id in come)
        self._destination.times.flush()
