"""The conversations that wait for `extract --pending`: a line each. Hooks write it, and read no
transcript."""

from __future__ import annotations

import os

from tideline_cli.model import codec
from tideline_cli.model.record import record
from tideline_cli.serve import state_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from typing import Any

MOST = 1000
"""Conversations that may wait."""
_LONGEST = 4 * 1024 * 1024
_NAME = "queue.jsonl"


@record
class Waiting:
    """A conversation to read: whose client, its name, its file, its folder, and for which memory.
    `line` is how it stands in the file."""

    client: str
    session: str
    transcript: str
    folder: str
    database: str
    origin: str
    at: int
    line: str = ""


def add(state: str, one: Waiting) -> bool:
    """Let a conversation wait, once; say whether there was room for it."""
    path = _path(state)
    known = state_files.read(path, most=_LONGEST)
    line = _line(one)
    mark = line.partition(', "at": ')[0]
    if mark in known:
        return True
    if known.count("\n") >= MOST and not _make_room(path, known):
        return False
    state_files.append(path, f"{line}\n")
    return True


def waiting(state: str) -> Iterator[Waiting]:
    """Yield the conversations that wait, in the order in which they came."""
    for line in state_files.read(_path(state), most=_LONGEST).splitlines():
        form = _form(line)
        if form is not None:
            texts = {name: str(form.get(name, "")) for name in _TEXTS}
            yield Waiting(**texts, at=int(form.get("at") or 0), line=line)


def length(state: str) -> int:
    """Return how many conversations wait."""
    return sum(1 for _ in waiting(state))


def done(state: str, lines: Collection[str]) -> None:
    """Take lines out of the queue that were worked off; what came meanwhile stays."""
    path = _path(state)
    left = [line for line in state_files.read(path, most=_LONGEST).splitlines()
            if line not in lines]  # fmt: skip
    if left:
        state_files.put_text(path, "".join(f"{line}\n" for line in left))
    else:
        state_files.remove(path)


_TEXTS = ("client", "session", "transcript", "folder", "database", "origin")


def _line(one: Waiting) -> str:
    form = {name: getattr(one, name) for name in _TEXTS}
    return codec.dumps({**form, "at": one.at})


def _form(line: str) -> dict[str, Any] | None:
    try:
        form = codec.loads(line)
    except ValueError:
        return None
    return form if isinstance(form, dict) else None


def _make_room(path: str, known: str) -> bool:
    """Take out what is no longer there to be read; say whether that made room."""
    lines = known.splitlines()
    left = [
        line for line in lines
        if (form := _form(line)) is not None and os.path.exists(str(form.get("transcript")))
    ]  # fmt: skip
    if len(left) < len(lines):
        state_files.put_text(path, "".join(f"{line}\n" for line in left))
    return len(left) < MOST


def _path(state: str) -> str:
    return os.path.join(state_files.folder_of(state), _NAME)
