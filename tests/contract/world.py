"""A small world for calls: one memory with a past, files to read, and a copy of both on demand."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import shutil
import sqlite3
from hashlib import blake2b
from typing import TYPE_CHECKING, Any
from unittest import mock

from tests.conftest import Result, run_main
from tests.fuzz import calls
from tests.fuzz.lines import Line as Call
from tests.support import DAY, NOW, PEER

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_SAID = (
    ("I deploy on Fridays", "--slot", "deploy_day", "--tag", "work"),
    ("I deploy on Mondays", "--slot", "deploy_day", "--tag", "work"),
    ("my cat is called Ada", "--segment", "identity", "--pin"),
    ("my cat is called Bo", "--segment", "identity"),
    ("the staging database runs on PostgreSQL 15", "--segment", "project", "--kind", "fact"),
    ("the staging database runs on PostgreSQL 16", "--segment", "project"),
    ("coffee at noon, tea at five", "--segment", "preference", "--confidence", "0.7"),
    ("meeting room 3 is booked for the offsite", "--segment", "context"),
    ("the budget of the offsite is 4000 euros", "--source", "tool_output"),
    ("用户喜欢素食", "--title", "food"),
)
_STATE = (
    "SELECT id, content, segment, tier, importance, tags, slot, lifecycle, pinned, valid_from,"
    " valid_to, metadata, confidence, source, kind, title FROM fact ORDER BY seq",
    "SELECT from_fact, to_fact, kind, reason, strength FROM link ORDER BY number",
    "SELECT fact, access_count, last_accessed_at FROM usage ORDER BY fact",
    "SELECT count(*) FROM batch",
)


_CHATS = [{"uuid": "k-1", "name": "mails", "chat_messages": [
    {"sender": "human", "text": "my mail is eva@example.org", "created_at": "2025-03-04"},
    {"sender": "assistant", "text": "noted"},
]}, {"uuid": "k-2", "chat_messages": 5}]  # fmt: skip


class World:
    """A home and a working folder, as they were made, whatever calls did to them."""

    def __init__(self, folder: Path) -> None:
        self.home, self.work = folder / "home", folder / "work"
        self._kept, self._spare = folder / "kept", folder / "spare"
        self.ids = tuple(_remembered())
        secret = _call("remember", "a secret of the channel", "--json", "--origin", PEER.key)
        self.peer = secret["id"]
        _call("feedback", self.ids[2], "up", "--json", "--now", str(NOW - 3 * DAY))
        _call("link", self.ids[4], self.ids[5], "--reason", "an upgrade", "--json")
        _call("forget", self.ids[7], "--json")
        _call("recall", "deploy cat", "--json")
        self._put_files()
        shutil.copytree(self.home, self._kept)
        shutil.copytree(self.work, self._spare)
        self._names = self._seen()

    def _put_files(self) -> None:
        rows = [{"id": f"ROW{n:023d}", "content": f"row number {n} of a file"} for n in range(3)]
        texts = {
            "rows.jsonl": "\n".join(map(json.dumps, rows)) + '\n{"content": 5}\n',
            "rows.csv": "id,content\nC1,from a table\n",
            "rows.tsv": "id\tcontent\nT1,x\tfrom tabs\n",
            "chats.json": json.dumps(_CHATS),
            "talk.txt": "USER: my mail is ada@example.org\n\nASSISTANT: noted\n\nUSER: thanks\n",
            "gold.jsonl": '{"query": "deploy", "ids": []}\n{"query": "cat", "gold": ["x"]}\n',
            "record.txt": "task: deploy\ntried: twice\n",
            "key": "sk-test\n",
        }
        for name, text in texts.items():
            (self.work / name).write_text(text)
        (self.work / "key").chmod(0o600)
        _call("backup", "copy.db", "--json")
        _call("export", "--format", "sqlite", "--output", "rows.db", "--json")

    def renew(self) -> None:
        """Undo whatever a call did to the files."""
        shutil.rmtree(self.home)
        shutil.copytree(self._kept, self.home)
        if self._seen() != self._names:
            shutil.rmtree(self.work)
            shutil.copytree(self._spare, self.work)
            os.chdir(self.work)

    def _seen(self) -> dict[str, int]:
        return {entry.name: entry.stat().st_mtime_ns for entry in os.scandir(self.work)}

    def call(self, argv: tuple[str, ...], stdin: bytes) -> Result | str:
        """Make a call in a world as new, with random bytes that are the same for each call."""
        self.renew()
        with _repeatable():
            return calls.called(Call(argv, stdin, False, ""))

    def state(self) -> list[Any]:
        """Return what the memory holds now."""
        path = self.home / "tideline.db"
        if not path.exists():
            return []
        with contextlib.closing(sqlite3.connect(path)) as db:
            return [db.execute(query).fetchall() for query in _STATE]


def _remembered() -> Iterator[str]:
    for n, argv in enumerate(_SAID):
        when = NOW - (40 - 3 * n) * DAY
        yield _call("remember", *argv, "--json", "--now", str(when))["id"]


def _call(*argv: str) -> Any:
    done = run_main(*argv)
    assert done.code == 0, done
    return json.loads(done.out)


@contextlib.contextmanager
def _repeatable() -> Iterator[None]:
    """Let the system's random bytes be a fixed sequence, so that two calls give equal ids."""
    numbers = itertools.count()

    def bytes_of(length: int) -> bytes:
        return blake2b(str(next(numbers)).encode(), digest_size=length).digest()

    with mock.patch("os.urandom", bytes_of):
        yield
