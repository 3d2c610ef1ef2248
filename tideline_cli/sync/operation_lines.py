"""Operations read from their lines, every value checked. Pure."""

from __future__ import annotations

import json

from tideline_cli.errors import UsageError
from tideline_cli.model import ulid
from tideline_cli.model.edge import KINDS
from tideline_cli.store.sync_registers import PURGED
from tideline_cli.sync.fields import CHANGING, FIXED, checked_value
from tideline_cli.sync.operations import AddOp, BatchOp, EdgeOp, PurgeOp, SetOp, UseOp
from tideline_cli.sync.registers import FORGOT, GONE, PRESENT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

    from tideline_cli.sync.operations import Operation, Stamp

_LATEST_CLOCK = 1 << 62
_MOST = 1 << 53
REASONS = ("faded", "merged", "superseded", "forgotten", "unknown")
"""Why a fact may be archived, as an export tells it."""
_FLAGS = (PRESENT, FORGOT, PURGED)
_NEWER = "it was written by a newer version: upgrade tideline-cli here"


def parsed(lines: Iterable[bytes]) -> tuple[dict[str, str], list[Operation]]:
    """Return the replicas that lines name, by id, and the operations; raise UsageError for a line
    that is none."""
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
    """Say whether a text can name a machine: one line that shows what it is, of 255 characters at
    most."""
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

