"""Files of a set: JSON values, JSON lines, and texts, plain or compressed by gzip."""

from __future__ import annotations

import os

from tideline_cli.errors import UsageError
from tideline_cli.exchange import jsonl
from tideline_cli.model import codec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, BinaryIO

    from tideline_cli.errors import TidelineError

_ZIPPED = ".gz"


def stream(path: str) -> BinaryIO:
    """Open a file, which gzip may have compressed."""
    if path.endswith(_ZIPPED):
        import gzip  # noqa: PLC0415  few files are compressed

        return gzip.open(path, "rb")  # type: ignore[return-value]
    return open(path, "rb")


def lines(path: str) -> Iterator[tuple[int, dict[str, Any] | TidelineError]]:
    """Yield the rows of a file of JSON lines, each with its number."""
    with stream(path) as file:
        yield from jsonl.parsed(file)


def value(path: str) -> Any:
    """Return the one JSON value of a file."""
    with stream(path) as file:
        raw = file.read()
    try:
        return codec.loads(raw.decode("utf-8-sig"))
    except ValueError as error:
        hint = "is it the right --format?"
        raise UsageError(f"{path} is not JSON: {error}", hint=hint) from error


def texts(path: str) -> Iterator[str]:
    """Yield the lines of a text; bytes that are no UTF-8 are read as Latin-1, as old sets are."""
    with stream(path) as file:
        for line in file:
            try:
                yield line.decode("utf-8-sig")
            except UnicodeDecodeError:
                yield line.decode("latin-1")


def found(folder: str, *names: str) -> str:
    """Return the path of the first of the names that is in a folder, plain or compressed."""
    for name in names:
        for end in ("", _ZIPPED):
            path = os.path.join(folder, name + end)
            if os.path.isfile(path):
                return path
    raise UsageError(f"{folder} has no {names[0]}", hint="is it the right --format?")


def is_folder(path: str) -> bool:
    """Say whether a path is a folder."""
    return os.path.isdir(path)


def names(folder: str) -> list[str]:
    """Return the names of the files of a folder, hidden ones left out."""
    return sorted(
        name for name in os.listdir(folder)
        if name[0] != "." and os.path.isfile(os.path.join(folder, name))
    )  # fmt: skip


def has(folder: str, name: str) -> bool:
    """Say whether a folder has a file of this name, plain or compressed."""
    return any(os.path.exists(os.path.join(folder, name + end)) for end in ("", _ZIPPED))
