"""A segment: a numbered, immutable part of a replica's log, as the bytes of one file.

The plain form is lines: the header as JSON, the lines of the log, and a last line with their count
and the SHA-256 of all before it. The sealed form is one line that says whose it is and which key
opens it, and after it the plain form, compressed by zlib and sealed with that line as associated
data: a file that was changed, cut or renamed does not open.
"""

from __future__ import annotations

import json
import zlib
from hashlib import sha256

from tideline_cli.errors import StoreError, UsageError
from tideline_cli.model.record import as_dict
from tideline_cli.sync.header import FORMAT, Header, Mark, check_header, check_mark, short_form
from tideline_cli.sync.sealing import OVERHEAD, UnsealError, seal, unseal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from tideline_cli.sync.sealing import Key, Ring

__all__ = ["LARGEST", "Header", "Mark", "SegmentError", "digest", "marked", "newer", "pack",
           "too_large", "unpack"]  # fmt: skip

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
            hint="pip install --upgrade tideline-cli",
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
