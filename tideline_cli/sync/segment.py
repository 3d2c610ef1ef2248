"""A segment: a numbered, immutable part of a replica's log, as the bytes of one file.

The plain form is lines: the header as JSON, the lines of the log, and a last line with their count
and the SHA-256 of all before it. The sealed form is one line that says whose it is and which key
opens it, and after it the plain form, compressed by zlib and sealed with that line as associated
data: a file that was changed, cut or renamed does not open.

Sealing is authenticated encryption with a shared secret: ChaCha20-Poly1305 (RFC 8439) by
`cryptography`. The nonce is computed from what is sealed (HMAC-SHA256), so sealing the same twice
gives the same bytes, and no nonce serves two texts. Each purpose has keys of its own, derived from
the secret.
"""

from __future__ import annotations

import hmac
import json
import zlib
from hashlib import sha256

try:
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
except ImportError:  # an extra, for sealed places
    _HAS_CIPHER = False
else:
    _HAS_CIPHER = True

from tideline_cli.errors import StoreError, UnavailableError, UsageError
from tideline_cli.model.record import Record, as_dict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, Protocol

    class Ring(Protocol):
        """Keys by their ids."""

        def get(self, key_id: str, /) -> Key | None: ...

SECRET_BYTES = 32
_NONCE_BYTES = 12
OVERHEAD = _NONCE_BYTES + 16
"""How many bytes longer a sealed text is: the nonce and the tag."""


class Key(Record):
    """A secret of 32 bytes, whose id is computed from it. `epoch` counts the rotations of a place,
    from 1. `place` is the id of the place that it is for, empty for any."""

    id: str
    secret: bytes
    epoch: int
    place: str = ""


class UnsealError(ValueError):
    """A sealed text was changed, moved, or sealed with another secret."""


def seal(secret: bytes, purpose: bytes, associated: bytes, text: bytes) -> bytes:
    """Return a text sealed for a purpose; `associated` is not in it, and is needed to open it.

    Raises UnavailableError where `cryptography` is not installed.
    """
    message = len(associated).to_bytes(8, "big") + associated + text
    nonce = hmac.digest(_derived(secret, purpose, b"nonce"), message, "sha256")[:_NONCE_BYTES]
    return nonce + _cipher(secret, purpose).encrypt(nonce, text, associated)


def unseal(secret: bytes, purpose: bytes, associated: bytes, sealed: bytes) -> bytes:
    """Return the text that was sealed; raise UnsealError where anything differs."""
    cipher = _cipher(secret, purpose)
    try:
        return cipher.decrypt(sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:], associated)
    except (InvalidTag, ValueError) as error:  # ValueError: too short to hold a nonce
        raise UnsealError("not what was encrypted") from error


def key_id(secret: bytes) -> str:
    """Return the name of a secret, 16 hexadecimal digits, which tells nothing of it."""
    return _derived(secret, b"key", b"id").hex()[:16]


def _derived(secret: bytes, purpose: bytes, use: bytes) -> bytes:
    return hmac.digest(secret, b"tideline sync 1\0" + purpose + b"\0" + use, "sha256")


def _cipher(secret: bytes, purpose: bytes) -> ChaCha20Poly1305:
    if not _HAS_CIPHER:
        raise UnavailableError(
            "an encrypted place needs the package cryptography",
            hint="pip install '.[sync]' in the clone, or make the place with --plain",
            code="no_cryptography",
        )
    return ChaCha20Poly1305(_derived(secret, purpose, b"seal"))


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
    name = header.name
    if not isinstance(name, str) or len(name) > _MOST_NAME or not name.isprintable():
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


LARGEST = 64 << 20
"""The most bytes of a segment: of its file, and of its plain form."""
_MAGIC = b"tideline-segment "
_PURPOSE = b"segment"
_FIRST_LINE = 1 << 20  # the most bytes of a header, which names every replica
_MAGIC_LINE = 512


class SegmentError(StoreError):
    """A segment that cannot be read: `reason` is truncated, damaged, too_large, newer, key (the
    ring lacks it) or form (sealed where plain ones are expected, or the reverse)."""

    def __init__(self, reason: str, message: str, *, hint: str = "") -> None:
        super().__init__(message, hint=hint, code=f"segment_{reason}")
        self.reason = reason


def pack(header: Header, lines: Sequence[bytes], key: Key | None) -> bytes:
    """Return the bytes of a segment: sealed with a key, plain without one.

    The same values give the same bytes. Raises UsageError for a line with a line break, a header
    that no reader takes, and for more than 64 MiB; UnavailableError without `cryptography`.
    """
    try:
        check_header(header)
    except ValueError as error:
        raise UsageError(f"no segment can have this header: {error}") from error
    if any(b"\n" in line for line in lines):
        raise UsageError("a line of a segment holds a line break")
    plain = _plain(header, lines)
    if len(plain) > LARGEST:
        raise UsageError(f"a segment has {LARGEST >> 20} MiB at most: part it")
    if key is None:
        return plain
    body = zlib.compress(plain, 6)
    words = (FORMAT, key.id, header.place, header.replica, header.number, header.kind, header.part,
             header.parts, len(body) + OVERHEAD)  # fmt: skip
    line = _MAGIC + " ".join(map(str, words)).encode("ascii") + b"\n"
    return line + seal(key.secret, _PURPOSE, line, body)


def unpack(data: bytes, ring: Ring | None) -> tuple[Header, list[bytes]]:
    """Return the header and the lines of a segment.

    With a ring only the sealed form is taken: who lacks the key could write the plain one. Without
    a ring only the plain one. Raises SegmentError.
    """
    if len(data) > LARGEST:
        raise too_large()
    sealed = _is_sealed(data)
    newer(data)
    if ring is not None and not sealed and data:
        raise SegmentError("form", "a segment is not encrypted, but the place is")
    if ring is None and sealed:
        raise SegmentError("form", "a segment is encrypted, but the place is not")
    if ring is None:
        return _from_plain(data)
    return _opened(data, ring)


def digest(data: bytes) -> str:
    """Return the SHA-256 of a segment's file as 64 hexadecimal digits."""
    return sha256(data).hexdigest()


def marked(start: bytes) -> Mark:
    """Return what the first line says, from the first `1 << 20` bytes of a file. Nothing of it is
    proved before `unpack`. Raises SegmentError."""
    newer(start)
    if _is_sealed(start):
        return _magic(start)[0]
    return short_form(_header(start))


def too_large() -> SegmentError:
    """Return the error of a file that is larger than any segment."""
    return SegmentError("too_large", f"a segment is larger than {LARGEST >> 20} MiB")


def newer(data: bytes) -> None:
    """Raise SegmentError where a later version of the program wrote a segment. What such a version
    writes behind its first line is its own matter."""
    said: Any = None
    if _is_sealed(data):
        word = data[len(_MAGIC) : len(_MAGIC) + 12].split(b" ")[0]
        said = int(word) if word.isdigit() else None
    elif data[:1] == b"{":
        try:
            said = json.loads(data[:_FIRST_LINE].split(b"\n")[0])
        except (ValueError, RecursionError):
            return
        said = said.get("format") if isinstance(said, dict) else None
    if isinstance(said, int) and said > FORMAT:
        raise SegmentError(
            "newer", f"a segment was written by a newer version (format {said})",
            hint="upgrade tideline-cli here",
        )  # fmt: skip


def _is_sealed(data: bytes) -> bool:
    return data[: len(_MAGIC)] == _MAGIC[: len(data)] and data[:1] != b""


def _plain(header: Header, lines: Sequence[bytes]) -> bytes:
    form = as_dict(header) | {"knows": dict(header.knows)}
    first = json.dumps(form, separators=(",", ":"), ensure_ascii=True).encode("ascii")
    body = b"".join(line + b"\n" for line in (first, *lines))
    last = {"lines": len(lines), "sha256": sha256(body).hexdigest()}
    return body + json.dumps(last, separators=(",", ":")).encode("ascii") + b"\n"


def _from_plain(data: bytes) -> tuple[Header, list[bytes]]:
    if not data.endswith(b"\n"):
        raise SegmentError("truncated", "a segment ends in the middle of a line")
    *rows, last, _ = data.split(b"\n") if data.count(b"\n") > 1 else (b"", b"", b"")
    form = _last_line(last)
    if not rows or form is None:
        raise SegmentError("truncated", "a segment lacks its last line")
    if form != (len(rows) - 1, sha256(data[: -len(last) - 1]).hexdigest()):
        raise SegmentError("damaged", "a segment was changed: its last line says another sum")
    return _header(data), rows[1:]


def _last_line(line: bytes) -> tuple[int, str] | None:
    try:
        form = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(form, dict) or form.keys() != {"lines", "sha256"}:
        return None
    return form["lines"], form["sha256"]


def _header(data: bytes) -> Header:
    first, found, _ = data[:_FIRST_LINE].partition(b"\n")
    if not found:
        raise SegmentError("truncated", "a segment has no whole header")
    try:
        header = Header(**json.loads(first))
        check_header(header)
    except (ValueError, TypeError, RecursionError) as error:
        raise SegmentError("damaged", "a segment has no header that can be read") from error
    return header


def _magic(data: bytes) -> tuple[Mark, int, bytes]:
    """Return what the first line of the sealed form says, how long the rest is, and the line."""
    line, found, _ = data[:_MAGIC_LINE].partition(b"\n")
    if not found:
        reason = "truncated" if len(data) < _MAGIC_LINE else "damaged"
        raise SegmentError(reason, "a segment has no whole first line")
    words = line.decode("ascii", "replace").split(" ")
    try:
        _, _, key, place, replica, number, kind, part, parts, length = words
        mark = Mark(place, replica, int(number), kind, int(part), int(parts), key)
        check_mark(mark)
        return mark, int(length), line + b"\n"
    except ValueError as error:
        raise SegmentError("damaged", "a segment has no first line that can be read") from error


def _opened(data: bytes, ring: Ring) -> tuple[Header, list[bytes]]:
    mark, length, line = _magic(data)
    body = data[len(line) :]
    if len(body) < length:
        raise SegmentError("truncated", f"a segment has {len(body):,} of {length:,} bytes")
    key = ring.get(mark.key)
    if key is None:
        raise SegmentError("key", f"the key {mark.key} is missing", hint="add it from a machine "
                           "that has it")  # fmt: skip
    try:
        plain = _inflated(unseal(key.secret, _PURPOSE, line, body))
    except (UnsealError, zlib.error) as error:
        raise SegmentError("damaged", "a segment is not what was encrypted") from error
    header, lines = _from_plain(plain)
    if short_form(header, mark.key) != mark:
        raise SegmentError("damaged", "a segment's header is not what its first line says")
    return header, lines


def _inflated(body: bytes) -> bytes:
    stream = zlib.decompressobj()
    plain = stream.decompress(body, LARGEST + 1)
    if len(plain) > LARGEST:
        raise too_large()
    if not stream.eof or stream.unused_data:
        raise zlib.error("not one whole stream")
    return plain
