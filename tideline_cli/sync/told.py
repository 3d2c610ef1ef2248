"""What the journal tells of what was said here: by fact, by edge, each with its time."""

from __future__ import annotations

from tideline_cli.model import codec
from tideline_cli.model.saying import SHOWN
from tideline_cli.store import statements, sync_changes, sync_registers
from tideline_cli.sync.registers import CHANGING, tick

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from apsw import Connection

    from tideline_cli.store.sync_changes import ToldChange
    from tideline_cli.store.sync_state import SyncState


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
