"""The members of a JSON document that may be larger than memory: one after the other, each bounded.
They are told apart by their brackets alone, so one that cannot be read does not end the others."""

from __future__ import annotations

import re

from tideline_cli.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_AT_ONCE = 1 << 20  # bytes
_BRACKET = re.compile(
    rb'(?:[^"\[\]{}]++|"[^"\\]*+(?:\\.[^"\\]*+)*+")*+([\[\]{}])', re.DOTALL
)
_KEYS = re.compile(rb'"([^"\\]{1,80})"\s*+:')
_BETWEEN = b" \t\r\n,"


def members(read: Callable[[int], bytes], *, longest: int) -> Iterator[bytes | None]:
    """Yield the members of the list that a document is, or the objects that follow one another in
    it, as they are written; None in the place of one that is longer than `longest` bytes.

    Raises UsageError where the document ends inside of its list or of a member.
    """
    walk = _Walk(longest)
    while chunk := read(_AT_ONCE):
        yield from walk.through(chunk)
    yield from walk.end()


def first_keys(head: bytes) -> frozenset[str]:
    """Return the keys of the first members of a document, as far as its beginning shows them: those
    of the members themselves, and of nothing inside of them."""
    walk = _Walk(len(head))
    keys: list[bytes] = []
    for _ in walk.through(head, keys):
        pass
    return frozenset(key.decode("utf-8", "replace") for key in keys)


class _Walk:
    """How deep a document is read, and what of it is kept for the member that has begun."""

    def __init__(self, longest: int) -> None:
        self._longest = longest
        self._data = b""
        self._at = 0  # behind the last bracket
        self._start = 0  # where the member begins, or what stands before the next one
        self._depth = 0
        self._base = -1  # the depth that members begin at: 1 in a list
        self._is_long = False

    def through(self, chunk: bytes, keys: list[bytes] | None = None) -> Iterator[bytes | None]:
        """Yield the members that end in the next part of the document; note in `keys` those of
        members."""
        self._data += chunk
        while found := _BRACKET.match(self._data, self._at):
            if keys is not None and self._base >= 0 and self._depth == self._base + 1:
                keys += _KEYS.findall(self._data, self._at, found.start(1))
            yield from self._bracket(found[1], found.start(1))
            self._at = found.end()
        self._let_go()
        if len(self._data) - self._at > 2 * self._longest + _AT_ONCE:
            raise UsageError(
                f"one text is longer than {self._longest >> 20} MiB", hint="is it an export?"
            )

    def _bracket(self, bracket: bytes, place: int) -> Iterator[bytes | None]:
        opens = bracket in b"[{"
        if self._base < 0:
            self._base = 1 if bracket == b"[" else 0
            self._start = place + self._base
        if opens and self._depth == self._base:
            yield from self._between(place)
            self._start = place
        self._depth += 1 if opens else -1
        if opens or self._depth < self._base:
            if not opens and self._base:
                yield from self._between(place)
                self._start = place + 1
            return
        if self._depth == self._base:
            too_long = self._is_long or place + 1 - self._start > self._longest
            yield None if too_long else self._data[self._start : place + 1]
            self._start, self._is_long = place + 1, False

    def _between(self, place: int) -> Iterator[bytes]:
        """Yield what stands between two members and is neither a comma nor a blank."""
        odd = self._data[self._start : place].strip(_BETWEEN)
        if odd:
            yield odd

    def _let_go(self) -> None:
        """Forget what is read: all before the member, and of one that is too long all of it."""
        if self._depth > self._base >= 0 and self._at - self._start > self._longest:
            self._is_long, self._start = True, self._at
        keep = min(self._start, self._at)
        self._data = self._data[keep:]
        self._at -= keep
        self._start -= keep

    def end(self) -> Iterator[bytes]:
        if self._depth > 0:
            raise UsageError("it is cut off", hint="fetch it once more", code="cut_off")
        yield from self._between(len(self._data))
