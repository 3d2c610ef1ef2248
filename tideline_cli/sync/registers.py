"""All that the replicas have stated of one fact: a register for each field, and its uses. A hybrid
clock puts the words of many machines in one order. Pure.

A time of that clock is one number: milliseconds since 1970 in the upper 48 bits, a counter in the
lower 16. It follows the clock of the machine, and is later than all that was known when a word was
said.
"""

from __future__ import annotations

from tideline_cli.errors import UsageError
from tideline_cli.model import instant
from tideline_cli.model.fact import (
    HEATS,
    KINDS,
    LARGEST_TURN,
    LIFECYCLES,
    PROGRESSES,
    ROLES,
    SEGMENTS,
    STATUSES,
    TIERS,
    Fact,
)
from tideline_cli.model.fields import CHANGEABLE, FIELDS, NAMES
from tideline_cli.model.lean import blake2b
from tideline_cli.model.origin import Origin, parse_origin
from tideline_cli.model.saying import as_told
from tideline_cli.model.short_text import one_of
from tideline_cli.model.source import SOURCES
from tideline_cli.store.sync_registers import BORN, PURGED, FactRow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    Mark = tuple[int, int, int, int]  # clock, replica, version, place

FIXED = ("content", "created_at", "source", "origin")
"""What never changes of a fact, beside its id."""
CHANGING = CHANGEABLE
"""What each has a register for."""
_FORM = {field.name: field.form for field in FIELDS}
_WORDS: Mapping[str, tuple[str, ...]] = {
    "segment": tuple(SEGMENTS), "tier": TIERS, "heat": HEATS, "lifecycle": LIFECYCLES,
    "status": STATUSES, "role": ROLES, "progress": PROGRESSES, "source": SOURCES,
    "kind": tuple(KINDS),
}  # fmt: skip
_NEEDED = ("segment", "tier", "heat", "lifecycle", "importance", "pinned", *FIXED)
_LONGEST = 1 << 20  # characters of a text: no fact and no label is longer


def wire(fact: Fact) -> dict[str, Any]:
    """Return the fields of a fact that travel, by name, as JSON values."""
    return {name: wire_value(fact, name) for name in (*FIXED, *CHANGING)}


def wire_as_said(fact: Fact) -> dict[str, Any]:
    """Return the same as it was said of the fact, whatever its slot shows: so it travels."""
    return wire(as_told(fact))


def wire_value(fact: Fact, name: str) -> Any:
    """Return one field of a fact as it travels. A decay rate that is that of the segment follows
    the segment: it travels as None."""
    value = getattr(fact, name)
    if name == "decay_rate":
        return None if value == SEGMENTS[fact.segment].decay_rate else value
    if name == "origin":
        return value.key
    if _FORM[name] == "object":
        return None if value is None else dict(value)
    return list(value) if isinstance(value, tuple) else value


def made_fact(fact_id: str, values: Mapping[str, Any], *, count: int, last: int) -> Fact:
    """Return the fact of these fields, which was used `count` times, the last time at `last`."""
    made = dict(values) | {"id": fact_id, "access_count": count, "last_accessed_at": last}
    made["origin"] = Origin(values["origin"])
    if made["decay_rate"] is None:
        made["decay_rate"] = SEGMENTS[made["segment"]].decay_rate
    for name in ("tags", "derived_from"):
        made[name] = tuple(values[name])
    return Fact(*[made[name] for name in NAMES])


def checked_value(name: str, value: Any) -> Any:
    """Return a value that has come, or raise UsageError when a field cannot hold it."""
    if name not in _FORM or name not in _READ_BY_NAME:
        raise UsageError(f"unknown field: {name!r}", hint="it was written by a newer version")
    if value is None and name not in _NEEDED:
        return [] if _FORM[name] == "texts" else None
    return _READ_BY_NAME[name](value, name)


def _text(value: Any, name: str) -> str:
    if not isinstance(value, str) or len(value) > _LONGEST or "\x00" in value:
        raise UsageError(f"{name} is not a text that can be stored")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise UsageError(f"{name} is not UTF-8") from error
    return value


def _word(value: Any, name: str) -> str:
    return one_of(_text(value, name), _WORDS[name], name)


def _number(value: Any, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1e9:
        raise UsageError(f"{name} is not a number that is allowed")
    return float(value)


def _share(value: Any, name: str) -> float:
    if _number(value, name) > 1:
        raise UsageError(f"{name} is not between 0 and 1")
    return float(value)


def _time(value: Any, name: str) -> int:
    is_time = isinstance(value, int) and not isinstance(value, bool)
    if not is_time or not instant.EARLIEST_MS <= value <= instant.LATEST_MS:
        raise UsageError(f"{name} is not a time")
    return int(value)


def _flag(value: Any, name: str) -> bool:
    if value not in (True, False):
        raise UsageError(f"{name} is neither true nor false")
    return bool(value)


def _texts(value: Any, name: str) -> list[str]:
    if not isinstance(value, list):
        raise UsageError(f"{name} is not a list")
    return [_text(one, name) for one in value]


def _object(value: Any, name: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise UsageError(f"{name} is not an object")
    return value


def _place(value: Any, name: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) > LARGEST_TURN:
        raise UsageError(f"{name} is not a whole number that is allowed")
    return value


def _origin(value: Any, name: str) -> str:
    return parse_origin(_text(value, name)).key


_READ: dict[str, Callable[[Any, str], Any]] = {
    "text": _text, "texts": _texts, "object": _object, "number": _number, "time": _time,
    "flag": _flag, "place": _place, "origin": _origin, "word": _word,
}  # fmt: skip
_READ_BY_NAME: dict[str, Callable[[Any, str], Any]] = {
    name: _READ[_FORM[name]] for name in (*FIXED, *CHANGING)
} | {"importance": _share, "confidence": _share}


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
        """Return how often the fact was used, on all replicas, which may share earlier uses."""
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


_COUNTER_BITS = 16
AHEAD_MS = 24 * 3600 * 1000
"""A word that is said so much later than it is now is not believed."""


def tick(last: int, at: int) -> int:
    """Return the time of a word said at `at`, in milliseconds; `last` is the latest known one."""
    return max(max(at, 0) << _COUNTER_BITS, last + 1)


def clock_ms(clock: int) -> int:
    """Return the milliseconds of a time."""
    return clock >> _COUNTER_BITS


def is_ahead(clock: int, now: int) -> bool:
    """Say whether a time is so far ahead that the clock which made it must be wrong."""
    return clock_ms(clock) > now + AHEAD_MS
