"""Lines of operations that a stranger may write into a place: whole ones with wrong types, forged
stamps, other people's ids; and such as are no operations at all. Drawn at random."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

NOW = 1_760_000_000_000
_WORDS = ("active", "archived", "owner", "channel:a/b/c", "knowledge", "identity", "", "a" * 300,
          "\u0000", "\ud800", "\u202e", "pinned", "merged", "remember", "x\ny")  # fmt: skip
_FIELDS = ("content", "created_at", "source", "origin", "lifecycle", "slot", "scope", "valid_from",
           "valid_to", "pinned", "confidence", "importance", "decay_rate", "heat", "tier", "tags",
           "segment", "metadata", "title", "derived_from", "present", "status", "kind", "turn",
           "access_count", "id", "nothing")  # fmt: skip
_KINDS = ("supersedes", "contradicts", "relates_to", "merged_from", "derived_from", "nothing")
_PLAUSIBLE: dict[str, tuple[Any, ...]] = {
    "lifecycle": ("active", "archived"), "slot": ("The", "boat", None), "pinned": (True, False),
    "valid_from": (NOW, None), "valid_to": (NOW, NOW + 9, None), "confidence": (0.0, 1, None),
    "importance": (0.1, 1.0), "tags": (["a", "b"], []), "title": ("The harbour", None),
    "segment": ("identity", "knowledge"), "present": (True, False), "scope": ("work", None),
    "metadata": ({"a": {"b": [1, None]}}, None), "origin": ("owner", "channel:a/b/c"),
    "content": ("The boat lies at the north pier", "Ana waters the plants"), "gone": ("merged",),
    "forgot": (True, False), "purged": (True, False),
}  # fmt: skip
GOOD = {
    "content": "The harbour office opens at nine", "created_at": NOW, "source": "owner_message",
    "origin": "owner", "segment": "knowledge", "tier": "long", "heat": "working",
    "importance": 0.6, "decay_rate": 0.03, "lifecycle": "active", "pinned": False,
}  # fmt: skip


class Stranger:
    """Draws lines. `ids` are those of facts that are here, `replicas` those of machines."""

    def __init__(self, random: Random, ids: Sequence[str], replicas: Sequence[str]) -> None:
        self._random = random
        self._ids = (*ids, "01K7434FJ05GQ6R5KSCQ67A599", "7ZZZZZZZZZZZZZZZZZZZZZZZZZ")
        self._replicas = tuple(replicas)

    def lines(self) -> list[bytes]:
        """Return a first line and a few operations."""
        told: list[Any] = [{"replicas": [[one, "name"] for one in self._replicas]}]
        if self._random.random() < 0.05:
            told[0] = self._value(3)
        told += [self._operation() for _ in range(self._random.randrange(1, 5))]
        lines = [json.dumps(one).encode() for one in told]
        if self._random.random() < 0.05:
            at = self._random.randrange(len(lines))
            lines[at] = self._broken(lines[at])
        return lines

    def _operation(self) -> Any:
        draw = self._random.choice
        at = [self._clock(), draw((0, 0, 0, 0, 1, 1, 1, 9, None))]
        one: Any
        match draw(("add", "add", "set", "use", "use", "edge", "purge", "batch", "none")):
            case "add":
                values = GOOD | {"content": f"A stranger says {self._random.random()}"}
                one = {"add": self._id(), "at": at, "values": values | self._fields(2)}
            case "set":
                one = {"set": self._id(), "at": at, "values": self._fields(3)}
            case "use":
                one = {"use": self._id(), "by": draw((0, 1, 7)),
                       "uses": [self._number(), self._number(), self._time(), self._time(),
                                self._time(), self._clock()]}  # fmt: skip
            case "edge":
                one = {"edge": [self._id(), draw(_KINDS), self._id()], "at": at,
                       "values": draw((None, [None, None, NOW], ["why", 3, NOW], self._value(1)))}
            case "purge":
                one = {"purge": [self._id() for _ in range(3)]}
            case "batch":
                one = {"batch": [*at, 3, draw(_WORDS), draw(_WORDS), self._time()]}
            case _:
                one = self._value(3)
        if isinstance(one, dict) and self._random.random() < 0.08:
            one[draw(list(one) or ["add"])] = self._value(2)
        return one

    def _fields(self, most: int) -> dict[str, Any]:
        if self._random.random() < 0.15:
            names = self._random.sample(_FIELDS, self._random.randrange(most + 1))
            return {name: self._value(2) for name in names}
        names = self._random.sample(sorted(_PLAUSIBLE), self._random.randrange(most + 1))
        return {name: self._random.choice(_PLAUSIBLE[name]) for name in names}

    def _id(self) -> Any:
        return self._random.choice(self._ids)

    def _time(self) -> Any:
        odd = (0, -1, 1 << 60, 1.5, True, "now")
        return self._random.choice(odd if self._random.random() < 0.1 else (NOW, NOW - 1000))

    def _clock(self) -> Any:
        odd = ((1 << 62) - 1, 1 << 70, -4, "1")
        usual = (NOW << 16, (NOW + 9) << 16, (NOW + 3_600_000) << 16, 1)
        return self._random.choice(odd if self._random.random() < 0.1 else usual)

    def _number(self) -> Any:
        odd = (-3, 1 << 50, 1 << 70, 1e308, float("nan"), None, [])
        return self._random.choice(odd if self._random.random() < 0.2 else (0, 1, 7))

    def _value(self, depth: int) -> Any:
        draw = self._random.choice
        if depth and self._random.random() < 0.3:
            inner = [self._value(depth - 1) for _ in range(self._random.randrange(4))]
            return draw((inner, {str(draw(_WORDS)): one for one in inner}))
        return draw((self._number(), self._time(), draw(_WORDS), self._id(), True, False, None))

    def _broken(self, line: bytes) -> bytes:
        at = self._random.randrange(len(line) + 1)
        return self._random.choice((
            line[:at], line[:at] + bytes([self._random.randrange(256)]) + line[at + 1 :],
            b"[" * 100_000, b'{"add":' * 50_000, b"9" * 100_000, b"null", b"{}", b"",
        ))  # fmt: skip
