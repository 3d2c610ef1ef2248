"""Files and folders that another program wrote, read whole and bounded; and what their values
mean."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from math import isfinite

from tideline_cli.config.git_root import repository
from tideline_cli.errors import UsageError
from tideline_cli.exchange import encodings, named_files
from tideline_cli.exchange.folders import Walk, passed_words
from tideline_cli.exchange.named_files import left_outside
from tideline_cli.model import codec
from tideline_cli.model.lean import blake2b

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterator, Mapping
    from typing import Any

    Tell = Callable[[str], object]

_OTHER = "name a file of the program"
_LARGEST = 256 << 20  # bytes
_SECONDS = 100_000_000_000  # a smaller number is a time in seconds
_MAGIC = b"SQLite format 3\x00"
_HELD_IN = re.compile(rb'"cwd":\s?("(?:[^"\\]|\\.){1,4096}")')


def raw_of(path: str) -> bytes:
    """Return what a file holds; raise UsageError for one that is too large."""
    with named_files.open_plain(path, hint=_OTHER) as file:
        raw = file.read(_LARGEST + 1)
    if len(raw) > _LARGEST:
        raise UsageError(f"{path} is larger than {_LARGEST >> 20} MiB", hint="split it")
    return raw


def text_of(path: str) -> str:
    """Return a text file; raise UsageError where it is none."""
    raw = raw_of(path)
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8", hint="name another file") from error


def lying_beside(path: str, name: str) -> str | None:
    """Return the path of a file that lies in the folder of another; None where it does not."""
    whole = os.path.join(os.path.dirname(path), name)
    return whole if os.path.isfile(whole) else None


def is_sqlite(path: str) -> bool:
    """Say whether a file is a SQLite database."""
    return first_bytes(path, len(_MAGIC)) == _MAGIC


def first_bytes(path: str, size: int) -> bytes:
    """Return the first bytes of a file."""
    with named_files.open_plain(path, hint=_OTHER) as file:
        return file.read(size)


def files_below(path: str, tell: Tell, *, ignoring: bool = True) -> Walk:
    """Return the Markdown files of a folder and below it. What is passed over is told by reason,
    as are links out of the folder, which are left alone."""
    walk = Walk(path, ignoring=ignoring)
    notes = [name for name in walk.files if name.lower().endswith((".md", ".markdown"))]
    walk.count("of other kinds", len(walk.files) - len(notes))
    walk.files = notes
    if walk.outside:
        tell(left_outside(walk.outside))
    for place, why in walk.unread:
        tell(f"{place} cannot be read: {why}")
    if walk.passed:
        tell(passed_words(walk.passed))
    return walk


def markdown_files(
    path: str, tell: Tell, walk: Walk | None = None, encoding: str | None = None
) -> Iterator[tuple[str, str]]:
    """Yield (name, text) of a Markdown file, or of all in a folder and below it, by name; in an
    encoding that the user says, else in UTF-8 or by a guess, which is told."""
    is_folder = os.path.isdir(path)
    walk = walk or files_below(path, tell) if is_folder else None
    if walk is not None:
        walk.read = 0
    for name in walk.files if walk is not None else [os.path.basename(path)]:
        if walk is not None:
            walk.read += 1
            walk.tick()
        try:
            raw = raw_of(os.path.join(path, name) if is_folder else path)
            text, guessed = encodings.decoded(raw, encoding)
        except UsageError as error:
            if not is_folder:
                raise
            tell(f"{name} is passed over: {error.message}")
            continue
        if guessed is not None:
            tell(f"{name} is not UTF-8, read as {guessed}")
        if walk is not None:
            walk.taken.add(name)
        yield name, text


def project_of(path: str, name: str) -> str:
    """Return the name of the project that a note is about: notes of two may be called alike. It is
    that of the folder around `memory`, or of the folder that the note is in."""
    above, last = os.path.split(_folder_of(path, name))
    return os.path.basename(above) if last == "memory" else last


def repository_of(path: str, name: str) -> str | None:
    """Return the scope of the repository that an agent's note is about: that in which it lies; of a
    folder `memory` of Claude Code that in which the sessions beside it were held."""
    folder = _folder_of(path, name)
    above, last = os.path.split(folder)
    if last != "memory":
        return repository(folder)
    for one in sorted(os.listdir(above)):
        with suppress(UsageError):
            is_of_session = one.endswith(".jsonl")
            raw = first_bytes(os.path.join(above, one), 1 << 16) if is_of_session else b""
            held = _HELD_IN.search(raw)
            where = json_of(held[1].decode("utf-8", "replace"), one) if held else None
            if isinstance(where, str) and os.path.isdir(where):
                return repository(where)
    return None


def _folder_of(path: str, name: str) -> str:
    whole = os.path.realpath(path)
    return os.path.dirname(os.path.join(whole, name) if os.path.isdir(whole) else whole)


def json_lines(path: str) -> list[dict[str, Any]]:
    """Return the objects of a file of JSON lines; raise UsageError for a line that is none."""
    found = []
    for number, line in enumerate(text_of(path).split("\n"), 1):
        if line.strip():
            value = json_of(line, f"{path}, line {number}")
            if not isinstance(value, dict):
                raise UsageError(f"{path}, line {number}: not an object", hint="nothing was taken")
            found.append(value)
    return found


def json_of(text: str, where: str) -> Any:
    """Return a JSON value; raise UsageError, which says where it stands, for a text that is
    none."""
    try:
        return codec.loads(text)
    except ValueError as error:
        raise UsageError(f"{where}: not JSON, or cut off", hint="nothing was taken") from error


def parts_of(value: Any) -> list[str]:
    """Return the texts of a list that stands as a list, as JSON, or as words with commas between
    them; any other value is the one text."""
    if isinstance(value, str) and value.strip().startswith("["):
        try:
            value = codec.loads(value)
        except ValueError:
            return [value]
    if isinstance(value, str):
        value = [part.strip() for part in value.split(",")]
    found = value if isinstance(value, list) else [value]
    return [worded(one) for one in found if one not in (None, "", [], {})]


def worded(value: Any) -> str:
    """Return a value as a text: one that is none as JSON."""
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    return value if isinstance(value, str) else codec.dumps(value)


def object_of(value: Any) -> dict[str, Any]:
    """Return metadata that stand as an object or as its JSON; any other value under a name."""
    if isinstance(value, str):
        try:
            value = codec.loads(value)
        except ValueError:
            return {"metadata": value} if value else {}
    if isinstance(value, dict):
        return value
    return {} if value in (None, "", []) else {"metadata": value}


def rest_of(row: Mapping[str, Any], known: Container[str]) -> dict[str, Any]:
    """Return what of a row has no place here, for the metadata."""
    return {
        name: value.decode(errors="replace") if isinstance(value, bytes) else value
        for name, value in row.items()
        if name not in known and value not in (None, "", [], {}, "[]", "{}")
    }


def text_in(row: dict[str, Any], name: str) -> str:
    """Return a text of a row; raise UsageError for any other value."""
    value = row.get(name, "")
    if not isinstance(value, str):
        raise UsageError(f"{name} is no text: {value!r:.60}", hint="nothing was taken")
    return value


def part_id(own: str, text: str) -> str:
    """Return the id of one statement of an entry: by what it says, since its place moves when one
    before it is taken out."""
    return f"{own}#{blake2b(text.encode('utf-8', 'replace'), digest_size=8).hexdigest()}"


def ms_of(stated: Any) -> Any:
    """Return a time that is a number in milliseconds, whether it counts seconds, milliseconds, µs
    or ns; any other value as it is."""
    if isinstance(stated, bool) or not isinstance(stated, (int, float)):
        return stated
    if not isfinite(stated) or stated == 0:
        return None
    if abs(stated) < _SECONDS:
        return round(stated * 1000)
    while abs(stated) >= 1000 * _SECONDS:
        stated /= 1000
    return round(stated)
