"""A VFS that writes down what reaches the disk, in order, and when it is synced; and a session of
commands recorded through it."""

from __future__ import annotations

import io
import json
import os
import pickle
import sys
from typing import Any

import apsw

from tests.faults.figures import text

Entry = tuple[str, str, int, bytes]  # kind, file, offset or length, what was written


class Recorder(apsw.VFS):
    """The VFS; `log` holds write, truncate, sync, delete of files, and ack of what was said."""

    def __init__(self) -> None:
        super().__init__("recorder", base="unix", makedefault=True)
        self.log: list[Entry] = []

    def xOpen(self, name: Any, flags: list[int]) -> apsw.VFSFile:
        return _File(name, flags, self.log)

    def xDelete(self, filename: str, syncdir: bool) -> None:
        super().xDelete(filename, syncdir)
        self.log.append(("delete", os.path.basename(filename), 0, b""))


class _File(apsw.VFSFile):
    def __init__(self, name: Any, flags: list[int], log: list[Entry]) -> None:
        super().__init__("unix", name, flags)
        path = name.filename() if isinstance(name, apsw.URIFilename) else name
        self._name = os.path.basename(path or "")
        self._log = log

    def xWrite(self, data: bytes, offset: int) -> None:
        super().xWrite(data, offset)
        self._log.append(("write", self._name, offset, bytes(data)))

    def xTruncate(self, newsize: int) -> None:
        super().xTruncate(newsize)
        self._log.append(("truncate", self._name, newsize, b""))

    def xSync(self, flags: int) -> None:
        super().xSync(flags)
        self._log.append(("sync", self._name, 0, b""))


class _Said(io.RawIOBase):
    """Standard output: what is said goes into the log, where it was said."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._recorder.log.append(("ack", "", 0, bytes(data)))
        return len(data)


def session(*, log: str, commands: int, company: bool) -> None:
    """Run commands one after the other and write the log of what they did to the disk.

    In `company` another connection stays open, so that the write-ahead log lives on between them.
    """
    from tideline_cli.store.opening import open_for_reading

    recorder = Recorder()
    path = os.path.join(os.environ["TIDELINE_HOME"], "tideline.db")
    ids: list[str] = []
    other = None
    for number in range(commands):
        stdin, argv = _command(number, ids)
        begun = len(recorder.log)
        _run(recorder, stdin, argv)
        if argv[0] == "remember":
            said = [entry[3] for entry in recorder.log[begun:] if entry[0] == "ack"]
            ids += [row["id"] for row in map(json.loads, said)]
        if company and other is None:
            other = open_for_reading(path)
    _keep(recorder, log)


def command(*, log: str, stdin: str, argv: list[str]) -> None:
    """Run one command and write the log of what it did to the disk."""
    recorder = Recorder()
    _run(recorder, stdin, argv)
    _keep(recorder, log)


def _run(recorder: Recorder, stdin: str, argv: list[str]) -> None:
    from tideline_cli.__main__ import main

    sys.stdin = io.TextIOWrapper(io.BytesIO(stdin.encode()))
    sys.stdout = io.TextIOWrapper(io.BufferedWriter(_Said(recorder)), encoding="utf-8")
    assert main(argv) == 0, argv
    sys.stdout.flush()


def _keep(recorder: Recorder, path: str) -> None:
    with open(path, "wb") as file:
        pickle.dump(recorder.log, file)


def _command(number: int, ids: list[str]) -> tuple[str, list[str]]:
    match number % 8:
        case 3:
            return "", ["forget", ids[-3], "--json"]
        case 5:
            rows = [json.dumps({"content": text(number * 100 + i)}) for i in range(4)]
            return "\n".join(rows), ["import", "-", "--trust", "--json"]
        case 6:
            return "", ["dream", "--relate-at", "0.2", "--json"]
        case 7 if number % 16 == 7:
            return "", ["purge", ids[-2], "--yes", "--json"]
    return "", ["remember", text(number), "--json"]
