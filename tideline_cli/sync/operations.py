"""Operations: what the replicas tell one another, a line of JSON each. Pure.

{"replicas": [[id, name], …]}      the first line; below, a replica is its place in this list
{"batch": [clock, replica, number, origin, verb, at]}
{"add": id, "at": [clock, replica], "values": {…}}
{"set": id, "at": [clock, replica], "values": {…}}
                                   beside the fields of a fact: "present", whether it is there at
                                   all, "gone", why it is archived, "forgot", whether somebody has
                                   forgotten it, and "purged", whether it rewords what was purged
{"use": id, "by": replica, "uses": [before it synced, since, last, changed, said, clock]}
{"edge": [source, kind, target], "at": [clock, replica], "values": null | [reason, strength, at]}
{"purge": [id, …]}
"""

from __future__ import annotations

import json

from tideline_cli.errors import UsageError
from tideline_cli.model import ulid
from tideline_cli.model.edge import KINDS
from tideline_cli.model.record import record
from tideline_cli.store.sync_registers import PURGED
from tideline_cli.sync.registers import CHANGING, FIXED, FORGOT, GONE, PRESENT, checked_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Any

    Stamp = tuple[int, str]  # a time of the hybrid clock, the id of a replica


@record
class BatchOp:
    """A batch of a replica, to which all words with its stamp belong."""

    stamp: Stamp
    number: int
    origin: str
    verb: str
    at: int


@record
class AddOp:
    """A fact with all that it was born with."""

    id: str
    stamp: Stamp
    values: Mapping[str, Any]


@record
class SetOp:
    """Changed fields; `present`: whether the fact is there, `gone`: why it is archived."""

    id: str
    stamp: Stamp
    values: Mapping[str, Any]


@record
class UseOp:
    """How often a replica has used a fact: before it synced, and since; when last; when it last
    stated anything of it, and said it, 0 for never; and when it told that, by its clock. What it
    tells later counts: a word that is taken back is said no more."""

    id: str
    replica: str
    base: int
    since: int
    last: int
    changed: int
    said: int
    clock: int


@record
class EdgeOp:
    """An edge that has come or changed, or None for its values: that has gone."""

    source: str
    kind: str
    target: str
    stamp: Stamp
    values: tuple[str | None, int | None, int] | None


@record
class PurgeOp:
    """Facts that are gone for good."""

    ids: tuple[str, ...]


Operation = BatchOp | AddOp | SetOp | UseOp | EdgeOp | PurgeOp


def facts_about(operation: Operation) -> set[str]:
    """Return the ids of the facts that an operation is about."""
    match operation:
        case BatchOp():
            return set()
        case EdgeOp():
            return {operation.source, operation.target}
        case PurgeOp():
            return set(operation.ids)
    return {operation.id}


class Writer:
    """Makes lines of operations. The first line is made last: it names the replicas."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names
        self._places: dict[str, int] = {}
        self.lines: list[bytes] = []
        self.size = 0

    def put(self, operation: Operation) -> None:
        """Add a line."""
        line = json.dumps(self._form(operation), ensure_ascii=False, separators=(",", ":"))
        self.lines.append(line.encode())
        self.size += len(self.lines[-1]) + 1

    def whole(self) -> list[bytes]:
        """Return all lines."""
        known = [[replica, self._names.get(replica, "")] for replica in self._places]
        head = json.dumps({"replicas": known}, ensure_ascii=False, separators=(",", ":"))
        return [head.encode(), *self.lines]

    def _form(self, operation: Operation) -> dict[str, Any]:
        match operation:
            case BatchOp(stamp, number, origin, verb, at):
                return {"batch": [*self._at(stamp), number, origin, verb, at]}
            case AddOp(fact_id, stamp, values):
                stated = {name: value for name, value in values.items() if value not in (None, [])}
                return {"add": fact_id, "at": self._at(stamp), "values": stated}
            case SetOp(fact_id, stamp, values):
                return {"set": fact_id, "at": self._at(stamp), "values": dict(values)}
            case UseOp(fact_id, replica, base, since, last, changed, said, clock):
                uses = [base, since, last, changed, said, clock]
                return {"use": fact_id, "by": self._place(replica), "uses": uses}
            case EdgeOp(source, kind, target, stamp, values):
                edge = [source, kind, target]
                return {"edge": edge, "at": self._at(stamp), "values": values and list(values)}
            case PurgeOp(ids):
                return {"purge": list(ids)}

    def _at(self, stamp: Stamp) -> list[int]:
        return [stamp[0], self._place(stamp[1])]

    def _place(self, replica: str) -> int:
        return self._places.setdefault(replica, len(self._places))


_LATEST_CLOCK = 1 << 62
_MOST = 1 << 53
REASONS = ("faded", "merged", "superseded", "forgotten", "unknown")
"""Why a fact may be archived, as an export tells it."""
_FLAGS = (PRESENT, FORGOT, PURGED)
_NEWER = "it was written by a newer version: upgrade tideline-cli here"


def parsed(lines: Iterable[bytes]) -> tuple[dict[str, str], list[Operation]]:
    """Return the replicas that lines name, by id, and the operations; may raise UsageError."""
    numbered = enumerate(lines, 1)
    names: dict[str, str] = {}
    operations: list[Operation] = []
    for number, line in numbered:
        try:
            row = json.loads(line)
            if number == 1:
                names = _replicas(row["replicas"])
                reader = _Reader(list(names))
            else:
                operations += reader.read(row)
        except (ValueError, KeyError, TypeError, IndexError, RecursionError) as error:
            raise UsageError(f"line {number} cannot be understood", hint=_NEWER) from error
        except UsageError as error:
            raise UsageError(f"line {number}: {error.message}", hint=_NEWER) from error
    return names, operations


def _replicas(rows: Any) -> dict[str, str]:
    found: dict[str, str] = {}
    for replica, name in rows:
        if not is_replica(replica) or not is_name(name):
            raise UsageError("a machine without an id")
        found[replica] = name
    return found


def is_replica(text: object) -> bool:
    """Say whether a text is the id of a replica: 32 hexadecimal digits in small letters."""
    return isinstance(text, str) and len(text) == 32 and set(text) <= set("0123456789abcdef")


def is_name(text: object) -> bool:
    """Say whether a text can name a machine: one line as it shows, of at most 255 characters."""
    return isinstance(text, str) and len(text) <= 255 and text.isprintable()


class _Reader:
    """Reads operations, whose replicas are places in a list."""

    def __init__(self, replicas: list[str]) -> None:
        self._replicas = replicas
        self._kinds: dict[str, Callable[[dict[str, Any]], Operation]] = {
            "batch": self._batch, "add": self._add, "set": self._set, "use": self._use,
            "edge": self._edge, "purge": self._purge,
        }  # fmt: skip

    def read(self, row: dict[str, Any]) -> Iterator[Operation]:
        if not isinstance(row, dict) or not row:
            raise UsageError("no operation")
        kind = next(iter(row))
        if kind not in self._kinds:
            raise UsageError(f"unknown operation: {kind!r}")
        yield self._kinds[kind](row)

    def _batch(self, row: dict[str, Any]) -> BatchOp:
        clock, replica, number, origin, verb, at = row["batch"]
        if not is_name(verb) or len(verb) > 64:
            raise UsageError("a batch without a verb")
        stamp = self._stamp([clock, replica])
        return BatchOp(
            stamp, _count(number), checked_value("origin", origin), verb,
            checked_value("created_at", at),
        )  # fmt: skip

    def _add(self, row: dict[str, Any]) -> AddOp:
        stated = _fields(row["values"])
        values = {name: checked_value(name, stated.get(name)) for name in (*FIXED, *CHANGING)}
        values[GONE] = _reason(stated.get(GONE))
        if stated.keys() - values.keys():
            raise UsageError(f"unknown field: {min(stated.keys() - values.keys())!r}")
        return AddOp(_id(row["add"]), self._stamp(row["at"]), values)

    def _set(self, row: dict[str, Any]) -> SetOp:
        values: dict[str, Any] = {}
        for name, value in _fields(row["values"]).items():
            if name in FIXED:
                raise UsageError(f"{name} never changes")
            if name == GONE:
                values[name] = _reason(value)
            else:
                values[name] = bool(value) if name in _FLAGS else checked_value(name, value)
        return SetOp(_id(row["set"]), self._stamp(row["at"]), values)

    def _use(self, row: dict[str, Any]) -> UseOp:
        base, since, *times, clock = row["uses"]
        if isinstance(since, bool) or not isinstance(since, int) or abs(since) > _MOST:
            raise UsageError("uses that are not a number")
        replica = self._replicas[_count(row["by"])]
        last, changed, said = (checked_value("created_at", at) for at in times)
        return UseOp(
            _id(row["use"]), replica, _count(base), since, last, changed, said, _count(clock)
        )

    def _edge(self, row: dict[str, Any]) -> EdgeOp:
        source, kind, target = row["edge"]
        if kind not in KINDS:
            raise UsageError(f"unknown kind of edge: {kind!r}")
        stamp, values = self._stamp(row["at"]), row["values"]
        if values is None:
            return EdgeOp(_id(source), kind, _id(target), stamp, None)
        reason, strength, at = values
        if reason is not None:
            reason = checked_value("title", reason)
        if strength is not None:
            strength = _count(strength)
        made = (reason, strength, checked_value("created_at", at))
        return EdgeOp(_id(source), kind, _id(target), stamp, made)

    def _purge(self, row: dict[str, Any]) -> PurgeOp:
        return PurgeOp(tuple(_id(one) for one in row["purge"]))

    def _stamp(self, stated: Any) -> Stamp:
        clock, replica = stated
        if _count(clock) >= _LATEST_CLOCK:
            raise UsageError("a time that cannot be")
        return clock, self._replicas[_count(replica)]


def _reason(value: Any) -> str | None:
    if value is not None and value not in REASONS:
        raise UsageError("an unknown reason")
    return None if value is None else str(value)


def _fields(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise UsageError("fields that are not an object")
    return value


def _id(text: Any) -> str:
    if not isinstance(text, str) or not ulid.is_ulid(text):
        raise UsageError("no id of a fact")
    return text


def _count(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 1 << 62:
        raise UsageError("no number")
    return value
