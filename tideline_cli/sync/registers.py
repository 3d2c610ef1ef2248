"""All that the replicas have stated of one fact: a register for each field, and its uses."""

from __future__ import annotations

from tideline_cli.model.lean import blake2b
from tideline_cli.store.sync_registers import BORN, PURGED, FactRow
from tideline_cli.sync.fields import FIXED, made_fact, wire_as_said

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from tideline_cli.model.fact import Fact

    Mark = tuple[int, int, int, int]  # clock, replica, version, place

PRESENT = "present"
GONE = "gone"
"""Why a fact is archived: stated whenever its lifecycle is, with the same mark."""
FORGOT = "forgot"
"""Whether somebody has forgotten the fact: also where another machine says later why it is gone.
`PURGED` tells whether it rewords a fact that was purged by somebody who did not know that."""
BASE, SINCE, LAST, CHANGED, SAID, CLOCK, VERSION, PLACE, BROUGHT = range(9)
"""Places in what a replica tells of a fact: how often it was used before that synced, how often
since, when last; when it last stated anything of it, and said it; when all that was told, by the
hybrid clock; as which version and from which place it is known. What an import has brought here of
when it was said stands apart, and is told as said."""
NOTHING = (0,) * 9


def is_stamp(name: str) -> bool:
    """Say whether a name among the marks of a row is that of a register."""
    return name != BORN


class Registers:
    """What is known of one fact.

    birth    clock, replica, version and place of the fact itself; None: it has not come yet.
    marks    the same by field, of those that were stated after the birth; `present` is one.
    values   what the registers hold, as it was said and travels: what a slot shows of its values
             follows from it. Without `content` the fact itself is not here.
    uses     by replica, and when it has stated and said the fact.
    ruled    why the fact is shown otherwise than the registers say, `by` because of which other;
             `extra` uses more than they tell, and `extra_last` as the last use, 0 for none.
    seq, row the number and the fact as the store has it, None where it has none.
    """

    __slots__ = (
        "birth", "by", "extra", "extra_last", "id", "is_present", "marks", "origin", "row", "ruled",
        "seq", "uses", "values",
    )  # fmt: skip

    def __init__(self, fact_id: str, seq: int | None, row: Fact | None) -> None:
        self.id = fact_id
        self.seq, self.row = seq, row
        self.origin = 0
        self.birth: Mark | None = None
        self.marks: dict[str, Mark] = {}
        self.values: dict[str, Any] = {} if row is None else wire_as_said(row)
        self.uses: dict[int, list[int]] = {}
        self.extra = self.extra_last = 0
        self.is_present = True
        self.ruled: str | None = None
        self.by: str | None = None

    def mark(self, name: str) -> Mark | None:
        """Return the mark of a register."""
        return self.marks.get(name, None if name in (FORGOT, PURGED) else self.birth)

    def put(self, name: str, value: Any, mark: Mark) -> None:
        """Let a register hold a value."""
        if name == PRESENT:
            self.is_present = bool(value)
        else:
            self.values[name] = value
        self.marks[name] = mark

    def forget(self, names: Iterable[str]) -> None:
        """Forget what registers were stated to hold."""
        for name in names:
            del self.marks[name]
            if name == PRESENT:
                self.is_present = True
            elif name in (FORGOT, PURGED):
                del self.values[name]

    def bear(self, values: Mapping[str, Any], mark: Mark) -> None:
        """Let the fact be born: registers that nobody has stated yet hold what it was born with."""
        self.birth = mark
        for name, value in values.items():
            if name in FIXED or name not in self.marks:
                self.values[name] = value

    def gone(self) -> str | None:
        """Return why the fact is archived, None where it is not, or nobody knows."""
        return self.values.get(GONE)

    def is_whole(self) -> bool:
        """Say whether the fact can be shown: it has come, and nobody has taken it back."""
        return self.birth is not None and self.is_present and "content" in self.values

    def count(self) -> int:
        """Return how often the fact was used, on all replicas: what they had before they synced may
        be the same uses."""
        uses = self.uses.values()
        return max(0, max((use[BASE] for use in uses), default=0) + sum(use[SINCE] for use in uses))

    def last(self) -> int:
        """Return when the fact was last used."""
        born: int = self.values["created_at"]
        return max((use[LAST] for use in self.uses.values()), default=born)

    def at(self, place: int) -> int:
        """Return when the fact was last CHANGED, or SAID: by whomever, its birth included."""
        born: int = self.values["created_at"]
        return max(born, *(use[place] for use in self.uses.values()), born)

    def said_elsewhere(self, own: int) -> int:
        """Return when another replica, or an import here, has said the fact; 0: never."""
        told = [use[SAID] for replica, use in self.uses.items() if replica != own]
        return max([self.uses.get(own, NOTHING)[BROUGHT], *told])

    def fact(self) -> Fact:
        """Return the fact as the registers have it."""
        return made_fact(self.id, self.values, count=self.count(), last=self.last())

    def stored(self, shown: Fact | None) -> FactRow:
        """Return the row that keeps this, beside the fact as it is `shown`."""
        clock, replica, born, place = self.birth or (0, 0, 0, 0)
        marks: dict[str, Any] = {name: list(mark) for name, mark in self.marks.items()}
        versions = [born, *(mark[2] for mark in self.marks.values())]
        versions += [use[VERSION] for use in self.uses.values()]
        version = max(versions)
        if version != born:
            marks[BORN] = born
        known = {} if shown is None else wire_as_said(shown)
        differing = {
            name: value for name, value in self.values.items()
            if (self.is_present or name in self.marks)  # what was taken back is said no more
            and (name not in known or known[name] != value)
        }  # fmt: skip
        held: dict[str, Any] = {"values": differing} if differing else {}
        if not self.is_present:
            held["gone"] = True
        if self.extra or self.extra_last:
            held["extra"] = [self.extra, self.extra_last]
        return FactRow(
            self.id, self.origin, clock, replica, version, place, self.alike(), marks,
            {str(number): use for number, use in self.uses.items()}, held, self.ruled, self.by,
        )  # fmt: skip

    def alike(self) -> int:
        """Return a hash that is the same for facts of one origin with one text."""
        if "content" not in self.values:
            return 0
        said = f"{self.values['origin']}\x1f{self.values['content']}".encode()
        return int.from_bytes(blake2b(said, digest_size=8).digest(), "big") >> 1


def read(row: FactRow | None, fact_id: str, stored: tuple[int, Fact] | None) -> Registers:
    """Return the registers of a fact of which the file keeps a row, and the fact as stored."""
    seq, fact = (None, None) if stored is None else stored
    found = Registers(fact_id, seq, fact)
    if row is None:
        return found
    found.origin = row.origin
    marks: dict[str, Any] = dict(row.marks)
    born = marks.pop(BORN, row.version)
    if row.clock:
        found.birth = (row.clock, row.replica, born, row.place)
    found.marks = {name: (mark[0], mark[1], mark[2], mark[3]) for name, mark in marks.items()}
    found.values |= row.held.get("values", {})
    found.is_present = "gone" not in row.held
    found.extra, found.extra_last = row.held.get("extra", (0, 0))
    found.uses = {int(number): list(use) for number, use in row.uses.items()}
    found.ruled, found.by = row.ruled, row.by
    return found


