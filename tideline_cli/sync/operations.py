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

from tideline_cli.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
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
    """Fields that somebody has changed; `present` says whether the fact is there at all, `gone` why
    it is archived."""

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
