"""What a segment says of itself: its header, and the part of it that can be read without a key."""

from __future__ import annotations

from tideline_cli.model.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

FORMAT = 1
MOST_NUMBER = 99_999_999
KINDS = ("log", "snapshot")
_MOST_CLOCK = 1 << 64
_MOST_NAME = 200
_LETTERS = frozenset("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
_HEX = frozenset("0123456789abcdef")


class Header(Record):
    """What a segment says of itself.

    `place` and `replica` are ids (8 to 64 letters and digits), `name` is that of the machine, for
    people. `number` counts a replica's segments from 1 without gaps; the parts of a snapshot are
    segments of their own, with numbers one after the other. `previous` is the digest of the segment
    before, empty for number 1 and for the first part of a snapshot. `clock` is the logical clock of
    the replica, `knows` the number of the last segment seen of each other one.
    """

    place: str
    replica: str
    name: str
    number: int
    kind: str = "log"
    part: int = 1
    parts: int = 1
    previous: str = ""
    clock: int = 0
    knows: Mapping[str, int] = {}
    format: int = FORMAT


class Mark(Record):
    """What the first line of a segment tells without a key; `key` is empty in the plain form."""

    place: str
    replica: str
    number: int
    kind: str
    part: int
    parts: int
    key: str


def is_id(text: object) -> bool:
    """Say whether a text can be the id of a place or of a replica."""
    return isinstance(text, str) and 8 <= len(text) <= 64 and _LETTERS.issuperset(text)


def is_hex(text: object, length: int) -> bool:
    """Say whether a text is so many hexadecimal digits, in small letters."""
    return isinstance(text, str) and len(text) == length and _HEX.issuperset(text)


def check_header(header: Header) -> None:
    """Raise ValueError for a header that breaks a rule."""
    knows = header.knows
    if not isinstance(knows, dict) or not _are_counts(header.clock, header.format, *knows.values()):
        raise ValueError("a number is none")
    check_mark(short_form(header))
    if not isinstance(header.name, str) or len(header.name) > _MOST_NAME:
        raise ValueError("the name is none, or too long")
    if header.format != FORMAT or not 0 <= header.clock < _MOST_CLOCK:
        raise ValueError("an unknown format, or a clock out of bounds")
    starts = header.part == 1 if header.kind == "snapshot" else header.number == 1
    if header.previous != "" if starts else not is_hex(header.previous, 64):
        raise ValueError("previous does not fit the number")
    if any(not is_id(one) or not 0 <= known <= MOST_NUMBER for one, known in knows.items()):
        raise ValueError("what it knows is no number of a replica")


def check_mark(mark: Mark) -> None:
    """Raise ValueError for a mark that breaks a rule."""
    if not is_id(mark.place) or not is_id(mark.replica):
        raise ValueError("an id is none")
    if not _are_counts(mark.number, mark.part, mark.parts):
        raise ValueError("a number is none")
    if mark.kind not in KINDS or not 1 <= mark.number <= MOST_NUMBER:
        raise ValueError("an unknown kind, or a number out of bounds")
    if not 1 <= mark.part <= mark.parts or mark.part > mark.number:
        raise ValueError("a part that cannot be")
    if mark.kind == "log" and mark.parts != 1:
        raise ValueError("a log has one part")
    if mark.key and not is_hex(mark.key, 16):
        raise ValueError("a key's id is none")


def short_form(header: Header, key: str = "") -> Mark:
    """Return what of a header stands in the first line, with the id of the key."""
    return Mark(
        header.place, header.replica, header.number, header.kind, header.part, header.parts, key
    )


def _are_counts(*values: object) -> bool:
    return all(type(value) is int for value in values)
