"""What a context may still take, in characters and in tokens, and the frame around its lines."""

from __future__ import annotations

from tideline_cli.model.record import Record
from tideline_cli.policy.render import HEADING, NOTICE, STALE

_CHARS_PER_TOKEN = 4
_NO_XML = {0xFFFE: "\ufffd", 0xFFFF: "\ufffd"}  # allowed in Unicode, not in XML


def tokens(text: str) -> int:
    """Return an estimate of the tokens of a text: a quarter per ASCII character, two thirds per
    character of a script without spaces, half per other; rounded down each, plus one."""
    return _estimate(*_kinds(text)) if text else 0


def _kinds(text: str) -> tuple[int, int, int]:
    """Count the characters of a text that are ASCII, of a script without spaces, and others."""
    if text.isascii():
        return len(text), 0, 0
    spaceless = sum("\u0e00" <= char <= "\u0e7f" or char >= "\u2e80" for char in text)
    plain = sum(char < "\x80" for char in text)
    return plain, spaceless, len(text) - spaceless - plain


def _estimate(plain: int, spaceless: int, other: int) -> int:
    return plain // _CHARS_PER_TOKEN + (2 * spaceless + 1) // 3 + other // 2 + 1


class Frame(Record):
    """What stands around the lines of a block, and how a line of it is written there."""

    head: str = ""
    tail: str = ""
    is_xml: bool = False

    def written(self, line: str) -> str:
        """Return a line as it is printed. `<` and `>` are escaped in every format."""
        if not self.is_xml:
            return line
        line = line.replace("&", "&amp;").translate(_NO_XML)
        return line.replace("&amp;lt;", "&lt;").replace("&amp;gt;", "&gt;")


def frame_of(fence: str | None, *, is_xml: bool) -> Frame:
    head = tail = ""
    if fence is not None:
        mark = f'untrusted-memory id="{fence}"'
        head = f"{HEADING}\n{NOTICE}\n{STALE}\n<{mark}>\n"
        # An end tag of XML has no attribute. In facts such a tag is escaped: this is the only one.
        tail = "\n</untrusted-memory>" if is_xml else f"\n</{mark}>"
    return Frame(f"<memory>\n{head}", f"{tail}\n</memory>", True) if is_xml else Frame(head, tail)


class Room:
    """What a block may still take: characters, and tokens if they are limited too. The frame and
    the line break that ends the block count."""

    def __init__(self, frame: Frame, max_chars: int, max_tokens: int | None) -> None:
        self._frame = frame
        self._max_chars = max_chars
        self._max_tokens = max_tokens
        around = frame.head + frame.tail
        self._chars = max_chars - len(around)
        self._kinds = _kinds(around)
        self._half = self._chars // 2
        spent = _estimate(*self._kinds)
        self._half_tokens = 0 if max_tokens is None else (max_tokens - spent) // 2

    def emptied(self) -> Room:
        """Return this room as it was when nothing was in it."""
        return Room(self._frame, self._max_chars, self._max_tokens)

    def holds(self, line: str) -> bool:
        """Say whether a line still fits."""
        shown = self._frame.written(line)
        if len(shown) + 1 > self._chars:
            return False
        if self._max_tokens is None:
            return True
        return _estimate(*self._with(shown)) <= self._max_tokens

    def holds_as_half(self, line: str) -> bool:
        """Say whether a line still fits, and takes no more than half of what the block had."""
        if not self.holds(line):
            return False
        shown = self._frame.written(line)
        if len(shown) + 1 > self._half:
            return False
        return self._max_tokens is None or tokens(shown) <= self._half_tokens

    def take(self, line: str) -> None:
        """Count a line as printed."""
        shown = self._frame.written(line)
        self._kinds = self._with(shown)
        self._chars -= len(shown) + 1

    def _with(self, shown: str) -> tuple[int, int, int]:
        plain, spaceless, other = _kinds(shown)
        return self._kinds[0] + plain + 1, self._kinds[1] + spaceless, self._kinds[2] + other
