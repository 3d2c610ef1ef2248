"""What was said here since the last sync: read from the journal, put into the registers."""

from __future__ import annotations

from tideline_cli.memory.archived import stated_reasons
from tideline_cli.model import codec
from tideline_cli.model.origin import EVERYONE
from tideline_cli.model.record import record, replace
from tideline_cli.model.saying import SHOWN, StatedAt
from tideline_cli.policy.periods import statement_of
from tideline_cli.store import images, statements, sync_changes, sync_registers, visibility
from tideline_cli.store.statements import said_of_row
from tideline_cli.store.sync_registers import PURGED, EdgeRow
from tideline_cli.store.undo_rows import known_ids
from tideline_cli.sync import registers
from tideline_cli.sync.registers import (
    BASE,
    BROUGHT,
    CHANGED,
    CHANGING,
    CLOCK,
    FORGOT,
    GONE,
    LAST,
    NOTHING,
    PLACE,
    PRESENT,
    SAID,
    SINCE,
    VERSION,
    tick,
    wire_as_said,
)
from tideline_cli.sync.rulings import EDGES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from apsw import Connection

    from tideline_cli.model.fact import Fact
    from tideline_cli.store.sync_changes import ToldChange
    from tideline_cli.store.sync_registers import Ruled
    from tideline_cli.store.sync_state import SyncState
    from tideline_cli.sync.registers import Mark, Registers

    Key = tuple[str, str, str]  # start, kind and end of an edge

_VERBS = ("forget", "undo", "redo")
"""By these, the edge of a ruling goes with the ruling, and comes back with it. To unlink it says
nothing of the fact at its end."""


@record
class Settling:
    """Facts by id, each with the time of the word: those that are `settled`, by somebody's word
    archived, and those that are `open` again, archived by a sync alone. `shown` are the edges that
    have come and that nobody has stated."""

    settled: dict[str, int]
    open: dict[str, int]
    shown: frozenset[Key]


def settling(db: Connection, told: SaidHere) -> Settling:
    """Return what was confirmed, and what is open again: there an edge is back that a sync had made
    and that nobody ever stated. Of a ruling that was confirmed and opened between two syncs,
    nothing is said."""
    edges = _edges(db, told)
    targets = {key[2] for key in edges}
    rows = sync_registers.facts(db, targets)
    stored = sync_registers.in_table(db, targets | {key[0] for key in edges})
    settled: dict[str, int] = {}
    opened: dict[str, int] = {}
    shown: set[Key] = set()
    for key, (number, act, clock) in edges.items():
        source, kind, target = key
        row = rows.get(target)
        if row is None or not {source, target} <= stored.keys():
            continue
        if stored[target][1].lifecycle != "archived":
            continue
        is_ruled = row.by == source and (
            row.ruled == "forgotten" or kind in EDGES[row.ruled or "kept"]
        )
        if act == "-" and is_ruled:
            settled[target] = clock
        elif act == "+" and sync_registers.edge(db, *key) is None:
            if is_ruled:
                shown.add(key)
            elif row.by is None and sync_changes.is_of_a_sync(db, number):
                opened[target] = clock
                shown.add(key)
    return Settling(settled, opened, frozenset(shown))


def _edges(db: Connection, told: SaidHere) -> dict[Key, tuple[int, str, int]]:
    """Return the edges that came or went by a person's word on a fact: number, act and time."""
    found: dict[tuple[int, str, int], tuple[int, str, int]] = {}
    for number, (act, verb) in told.moved.items():
        if verb in _VERBS:
            image, clock = told.edges[number]
            for edge in sync_changes.edges_told(db, [(number, image)]):
                found[edge] = number, act, clock
    by_seq = known_ids(db, {end for a, _, b in found for end in (a, b)})
    named = {
        (by_seq[a], kind, by_seq[b]): what for (a, kind, b), what in found.items()
        if a in by_seq and b in by_seq
    }  # fmt: skip
    return {
        key: what for key, what in named.items()
        if (what[1] == "+") == (sync_changes.edge_now(db, *key) is not None)
    }  # fmt: skip


def said_before(db: Connection, fact_id: str) -> dict[str, Any]:
    """Return what was said of a fact before a sync archived it, as far as it is known."""
    was = images.last_active(db, fact_id)
    return {**dict.fromkeys(SHOWN), "lifecycle": "active"} if was is None else said_of_row(was)


def archived_by_word(fact: Fact) -> Fact:
    """Return a fact that a sync has archived as one that somebody has archived: in a slot it ends
    where it gave way."""
    if fact.slot is None or fact.valid_to is None:
        return fact
    return replace(fact, statement=statement_of(fact) | {"until": fact.valid_to})


_AT_ONCE = 400
_SLACK_MS = 3_600_000  # a clock may go back a little between a use and a sync


class Gatherer:
    """One look at the journal, in a transaction of the caller. `now` is the time of changes that
    other programs have made. `waiting` are the edges of facts that have come, which were stated
    before that; `has_taken_back` says whether any fact has gone."""

    def __init__(self, db: Connection, state: SyncState, *, now: int) -> None:
        self._db = db
        self._state = state
        self._now = now
        self._change = state.change  # up to which the journal was read before
        self._told = SaidHere(db, state, now=now)
        self._came: set[str] = set()  # facts that the store has got
        self._noted: dict[str, str | None] = {}  # of which an import knows more, and why they went
        self._why: dict[str, str] = {}  # of what goes with another fact
        self.waiting: list[EdgeRow] = []
        self.has_taken_back = False

    def gather(self, *, uses: bool = False) -> set[str]:
        """Put what was said into the registers; return the ids of the facts that it is about. With
        `uses`, look also for what was only read."""
        told, known = self._told, self._state.version
        by_seq = known_ids(self._db, {*told.facts, *told.used})
        self._settling = settling(self._db, told)
        touched = self._touched(by_seq)
        beside = self._beside(touched)
        used = {by_seq[seq] for seq in told.used if seq in by_seq}
        if uses or self._state.change > self._change:
            self._noted = sync_changes.noted_since(self._db, self._change)
        spoken = {*used, *self._noted}
        if uses:
            used |= sync_changes.used_since(self._db, self._unlooked())
            self._state.used_at = self._now
        changed: set[str] = set()
        listed = sorted({*touched, *used, *spoken})
        for start in range(0, len(listed), _AT_ONCE):
            some = listed[start : start + _AT_ONCE]
            changed |= self._put(some, touched, spoken)
        for settled, clock in beside:
            kinds = EDGES[settled.why]
            rows = [self._edge(settled.by, kind, settled.id, clock) for kind in kinds]
            sync_registers.put_edges(self._db, [row for row in rows if row is not None])
        changed |= self._put_edges()
        self.waiting = [
            edge for edge in sync_registers.edges_of(self._db, self._came) if edge.version <= known
        ]
        self.waiting += [
            _unstated(*key) for key in self._settling.shown
            # what goes beside another has said it now
            if sync_registers.edge(self._db, *key) is None
        ]
        self._state.save()
        return changed

    def _touched(self, by_seq: dict[int, str]) -> dict[str, Touched]:
        """Return what was said of each fact, by id."""
        touched: dict[str, Touched] = {}
        for seq, one in self._told.facts.items():
            if fact_id := by_seq.get(seq):
                earlier = touched.get(fact_id)
                touched[fact_id] = one if earlier is None else earlier.with_later(one)
        for fact_id, clock in self._settling.settled.items():
            touched.setdefault(fact_id, Touched()).fields.setdefault("lifecycle", clock)
            self._why[fact_id] = "forgotten"
        for fact_id, clock in self._settling.open.items():
            if "lifecycle" not in touched.setdefault(fact_id, Touched()).fields:
                touched[fact_id].open = clock
        return touched

    def _beside(self, touched: dict[str, Touched]) -> list[tuple[Ruled, int]]:
        """Let what was archived because of a fact go with that fact, where somebody has archived
        it: a copy in any case, another value of a slot unless the fact was forgotten, which says
        that the other is right."""
        went = {one: told for one, told in touched.items() if "lifecycle" in told.fields}
        ruled = sync_registers.ruled_because(self._db, went) if went else []
        stored = sync_registers.in_table(self._db, {one.by for one in ruled})
        why = reasons_of(self._db, [fact for _, fact in stored.values()])
        found: list[tuple[Ruled, int]] = []
        for one in ruled:
            reason = why.get(one.by)
            if reason is not None and (one.why == "same" or reason != "forgotten"):
                by = went[one.by]
                clock, is_word = by.fields["lifecycle"], "lifecycle" not in by.silent
                found.append((one, clock))
                touched.setdefault(one.id, Touched()).change(("lifecycle",), clock, is_word=is_word)
                self._why[one.id] = reason if one.why == "same" else "superseded"
        return found

    def _unlooked(self) -> int:
        """Return since when uses have not been looked for. A clock that has gone back tells nothing
        of that: then it is since ever."""
        known = self._state.used_at - _SLACK_MS
        return known if min(self._now, self._told.earliest) >= known else 0

    def _put(self, ids: list[str], touched: dict[str, Touched], spoken: set[str]) -> set[str]:
        """Put what was said of facts into their registers; a batch has used the `spoken` ones."""
        rows = sync_registers.facts(self._db, ids)
        stored = sync_registers.in_table(self._db, ids)
        told = [fact_id for fact_id in ids if fact_id in touched]
        said = [fact_id for fact_id in ids if fact_id in touched or fact_id in spoken]
        stated = statements.stated(self._db, viewer=EVERYONE, ids=said) if said else {}
        why = reasons_of(self._db, [stored[one][1] for one in told if one in stored]) | self._why
        changed: list[Registers] = []
        for fact_id in ids:
            known = registers.read(rows.get(fact_id), fact_id, stored.get(fact_id))
            before = self._state.version
            if fact_id in touched:
                self._fact(known, touched[fact_id], why.get(fact_id))
            if fact_id in self._noted:
                self._why_gone(known, self._noted[fact_id])
            if known.row is not None and known.is_present:
                born = touched.get(fact_id)
                self._use(known, known.row, born.uses if born else 0)
                if fact_id in said:
                    self._time(known, stated.get(fact_id))
            if self._state.version != before:
                changed.append(known)
        sync_registers.put_facts(self._db, (one.stored(one.row) for one in changed))
        return {one.id for one in changed} | {*told}  # a slot may show them otherwise than we do

    def _fact(self, known: Registers, told: Touched, gone: str | None) -> None:
        if known.row is None:
            if known.birth is not None and told.gone is not None:
                known.marks.clear()
                known.put(PRESENT, False, self._mark(told.gone))
                self.has_taken_back = True
            return
        row, born = known.row, told.born
        if known.id in self._settling.settled:
            row = archived_by_word(row)
        said = wire_as_said(row)
        gone = gone if said["lifecycle"] == "archived" else None
        if known.birth is None and born is None:  # it was there before, and was never told
            born = tick(0, known.row.created_at)
        if born is not None:
            self._came.add(known.id)
            known.marks.clear()
            known.values = {**said, GONE: gone}
            known.is_present = True
            known.origin = visibility.number(self._db, known.row.origin)
            known.birth = self._mark(born)
            if gone == "forgotten":
                known.put(FORGOT, True, self._mark(born))
        if told.back is not None and known.ruled is not None:
            told.fields.setdefault("lifecycle", told.back)
        for name, clock in told.fields.items():
            if name in CHANGING and clock != born and told.by.get(name, True):
                clock = told.clock(name, (known.mark(name) or (0,))[0])
                self._say(known, said, name, clock)
                if name == "lifecycle":
                    self._hold(known, GONE, gone, clock)
                    self._answer(known, gone, clock)
        if told.open is not None:
            self._open(known, told.open, is_born=born is not None)
        if told.back is not None and known.values.get(PURGED) is False and gone is not None:
            self._open(known, told.back, is_born=False)  # nobody says any more that it stands
            self._hold(known, PURGED, True, told.back)

    def _answer(self, known: Registers, gone: str | None, clock: int) -> None:
        """Note that somebody forgets a fact, or takes that back; and that one which a purge has
        archived elsewhere stands."""
        if gone == "forgotten" or known.values.get(FORGOT):
            self._hold(known, FORGOT, gone == "forgotten", clock)
        if gone is None and known.ruled == PURGED:
            self._hold(known, PURGED, False, clock)

    def _open(self, known: Registers, clock: int, *, is_born: bool) -> None:
        """Say that a fact stands, as it did before somebody confirmed that it gives way. One that
        has come back with that is born so."""
        stated = {**said_before(self._db, known.id), GONE: None}
        if is_born:
            known.values |= stated
            return
        for name, value in stated.items():
            self._hold(known, name, value, clock)

    def _say(self, known: Registers, said: dict[str, Any], name: str, clock: int) -> None:
        """Take what the store has as what somebody has said."""
        is_ruled = name == "lifecycle" and known.ruled is not None  # the period goes with the word
        for one in SHOWN if is_ruled else (name,):
            self._hold(known, one, said[one], clock)

    def _hold(self, known: Registers, name: str, value: Any, clock: int) -> None:
        """Let a register hold a value since `clock`, but since later than what it is known to hold:
        a change that is nobody's word has the time of the word that it knew of one of them."""
        held = known.mark(name)
        if held is not None and (held[0], held[1] != self._state.own) > (clock, False):
            clock = held[0] + 1
        known.put(name, value, self._mark(clock))

    def _use(self, known: Registers, row: Fact, base: int) -> None:
        """Count the uses here that no replica has told as ours; `base` are those of the birth."""
        if known.birth is None:
            return
        more = row.access_count - known.count() - known.extra
        last = row.last_accessed_at
        own = known.uses.get(self._state.own)
        if more == 0 and last == max(known.last(), known.extra_last):
            return
        if own is None:
            own = known.uses[self._state.own] = list(NOTHING)
            own[BASE] = base  # the same export may be imported elsewhere
            more = row.access_count - known.count() - known.extra
        own[SINCE] += more
        own[LAST] = last
        self._tell(known, own)

    def _time(self, known: Registers, at: StatedAt | None) -> None:
        """Tell when this replica has last stated and said a fact, or that it says it no more: a
        word that was taken back gives back when it was said before."""
        born, number = known.values["created_at"], self._state.own
        own = known.uses.get(number, NOTHING)
        at = at or StatedAt(0, 0, 0)
        elsewhere = max((use[SAID] for one, use in known.uses.items() if one != number), default=0)
        brought = at.brought if at.brought > elsewhere else min(own[BROUGHT], at.brought)
        changed = at.changed_at if at.changed_at > known.at(CHANGED) else own[CHANGED]
        said = max(at.spoken, brought)
        told = [changed, said if said > born else 0]
        if [*own[CHANGED:CLOCK], own[BROUGHT]] != [*told, brought]:
            use = [*own[:CHANGED], *told, *own[CLOCK:BROUGHT], brought]
            use[LAST] = known.last()
            self._tell(known, use)

    def _tell(self, known: Registers, use: list[int]) -> None:
        self._state.clock = use[CLOCK] = tick(self._state.clock, self._now)
        use[VERSION], use[PLACE] = self._state.next_version(), 0
        known.uses[self._state.own] = use

    def _why_gone(self, known: Registers, gone: str | None) -> None:
        """Take why a fact is archived from an import, where that is known."""
        if gone is not None and gone != known.gone() and known.ruled is None:
            self._state.clock = clock = tick(self._state.clock, self._now)
            known.put(GONE, gone, self._mark(clock))

    def _put_edges(self) -> set[str]:
        """Put the edges that have come, changed or gone into their registers."""
        clocks: dict[tuple[int, str, int], int] = {}
        for number, (image, clock) in self._told.edges.items():
            for edge in sync_changes.edges_told(self._db, [(number, image)]):
                clocks[edge] = max(clock, clocks.get(edge, 0))
        by_seq = known_ids(self._db, {end for a, _, b in clocks for end in (a, b)})
        rows: list[EdgeRow] = []
        for (start, kind, end), clock in sorted(clocks.items(), key=lambda item: item[1]):
            if start in by_seq and end in by_seq:
                if (by_seq[start], kind, by_seq[end]) in self._settling.shown:
                    continue
                row = self._edge(by_seq[start], kind, by_seq[end], clock)
                rows += [row] if row is not None else []
        sync_registers.put_edges(self._db, rows)
        return set(by_seq.values())  # an edge that follows from others is seen to again

    def _edge(self, source: str, kind: str, target: str, clock: int) -> EdgeRow | None:
        now = sync_changes.edge_now(self._db, source, kind, target)
        was = sync_registers.edge(self._db, source, kind, target)
        if now is None and was is None:
            return None  # it came and went between two syncs
        if was is not None and was.present == (now is not None) and (
            now is None or now == (was.reason, was.strength, was.created_at)
        ):
            return None
        values = now or (None, None, was.created_at if was else 0)
        mark = self._mark(clock)
        return EdgeRow(source, kind, target, *mark, now is not None, *values)

    def _mark(self, clock: int) -> Mark:
        return clock, self._state.own, self._state.next_version(), 0


def _unstated(source: str, kind: str, target: str) -> EdgeRow:
    """Return an edge that nobody has stated: it is there as long as a ruling shows it."""
    return EdgeRow(source, kind, target, 0, 0, 0, 0, False, None, None, 0)


def reasons_of(db: Connection, found: Iterable[Fact]) -> dict[str, str]:
    """Return by id why those of the facts that are archived are so."""
    archived = [fact for fact in found if fact.lifecycle == "archived"]
    return stated_reasons(db, archived) if archived else {}


_HOLDS = ("lifecycle", "valid_to", "statement")
"""What is stated of a fact by saying it again: that it holds, and until when."""


class Touched:
    """What the journal says of one fact: the times at which it was born, went, and each of its
    columns changed; None of them where only its use or its edges did. `words` are the times at
    which somebody has last stated its columns, and `silent` those that a pass or an undo has
    changed since: that is nobody's word. `by` are the batches that have changed a column and were
    not taken back. It was born with `uses`. An undo may have brought it `back` to a state that it
    is shown in already, or have taken back that somebody archived it whom a sync had gone before:
    then it is `open` again."""

    __slots__ = ("back", "born", "by", "fields", "gone", "open", "silent", "uses", "words")

    def __init__(self) -> None:
        self.born: int | None = None
        self.gone: int | None = None
        self.back: int | None = None
        self.open: int | None = None
        self.fields: dict[str, int] = {}
        self.by: dict[str, set[int | None]] = {}
        self.words: dict[str, int] = {}
        self.silent: set[str] = set()
        self.uses = 0

    def change(
        self, names: Iterable[str], clock: int, *, is_word: bool, by: ToldChange | None = None
    ) -> None:
        """Note that columns have changed at this time."""
        for name in names:
            known = self.by.setdefault(name, set())
            if by is not None and by.undoes in known:  # nobody has heard of it
                known.remove(by.undoes)
            else:
                known.add(by.batch[0] if by else 0)
            self.fields[name] = clock
            if is_word:
                self.words[name] = clock
            (self.silent.discard if is_word else self.silent.add)(name)

    def clock(self, name: str, known: int) -> int:
        """Return the time of a change of a column of which a word of the time `known` was known.
        What is nobody's word is as late as the last word that it knew: any other one counts more.
        """
        if name not in self.silent:
            return self.fields[name]
        return max(known, self.words.get(name, 0)) + 1

    def with_later(self, other: Touched) -> Touched:
        """Return what is said of one fact that had two numbers, one after the other."""
        if other.born is None:
            self.fields |= other.fields
            self.by |= other.by
            self.words |= other.words
            self.silent = self.silent - other.fields.keys() | other.silent
            self.gone, self.back = other.gone or self.gone, other.back or self.back
            return self
        return other


def stated_names(names: Iterable[str], said: Iterable[str] | None) -> Iterable[str]:
    """Return which of the columns that a change has changed it has stated; `said` are those that it
    has changed as they were said, where its fact is a value of a slot."""
    return names if said is None else {*names}.difference(SHOWN).union(said)


class SaidHere:
    """All that was said since the journal was last read; `now` is the time of changes that other
    programs have made.

    facts     by number.
    edges     by the number of their row: an image of it, and when it was said.
    moved     by the number of their row, edges that came or went last: `+` or `-`, and the verb.
    used      the numbers of the facts that a batch has used.
    earliest  the earliest time of a batch, in milliseconds.
    """

    __slots__ = ("_db", "_now", "_said", "_state", "earliest", "edges", "facts", "moved", "used")

    def __init__(self, db: Connection, state: SyncState, *, now: int) -> None:
        self._db = db
        self._state = state
        self._now = now
        self.facts: dict[int, Touched] = {}
        self.edges: dict[int, tuple[str | None, int]] = {}
        self.moved: dict[int, tuple[str, str]] = {}
        self.used: set[int] = set()
        self.earliest = now
        self._read()

    def _read(self) -> None:
        """Read the journal. Each run of changes of one batch has one time."""
        state, batch, clock = self._state, -1, 0
        taken = statements.taken_back(self._db)
        self._said = statements.said_since(self._db, state.change)
        for told in sync_changes.since(self._db, state.change):
            number, ordinal, verb, at, origin = told.batch
            state.change = told.number
            if number != batch:
                batch = number
                self.earliest = min(self.earliest, self._now if at is None else at)
                clock = tick(state.clock, self._now if at is None else at)
                state.clock = clock
                sync_registers.note_batch(
                    self._db, clock, state.own, ordinal, origin, verb,
                    self._now if at is None else at, version=state.next_version(), place=0,
                )  # fmt: skip
                for row in sync_changes.moved_by(self._db, told.undoes) if told.undoes else ():
                    self._of(row).back = clock
                    self._of(row).silent.add("lifecycle")
            is_silent = told.undoes is not None or verb in statements.PASSES or number in taken
            self._note(told, clock, is_word=not is_silent)

    def _note(self, told: ToldChange, clock: int, *, is_word: bool) -> None:
        if told.entity == "facts":
            for seq in range(int(told.after or 0), told.row + 1):
                self._of(seq).born = clock
        elif told.entity == "fact":
            one = self._of(told.row)
            if told.act == "+":
                one.born, one.gone, one.back, one.fields = clock, None, None, {}
                one.by, one.words, one.silent = {}, {}, set()
            elif told.act == "-":
                one.gone = clock
            else:
                names = self._names(told)
                one.change(names, clock, is_word=is_word, by=told)
        elif told.entity == "link":
            image, _ = self.edges.get(told.row, (None, 0))
            self.edges[told.row] = (image or told.before, clock)
            self.moved[told.row] = (told.act, told.batch[2])
        else:
            self.used.add(told.row)
            known = self.facts.get(told.row)
            if known is not None and known.born == clock and told.after is not None:
                known.uses = codec.loads(told.after)["access_count"]
            elif is_word and told.batch[2] in statements.SAYING:
                self._of(told.row).change(_HOLDS, clock, is_word=True, by=told)

    def _names(self, told: ToldChange) -> Iterable[str]:
        """Return which columns of a fact a change has stated: what its slot shows is no word."""
        names = CHANGING if told.names is None else told.names
        return stated_names(names, self._said.get(told.number))

    def _of(self, seq: int) -> Touched:
        return self.facts.setdefault(seq, Touched())
