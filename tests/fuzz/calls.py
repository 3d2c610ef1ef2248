"""Calling the command line with anything, and what must hold whatever it was given."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.conftest import Result
from tests.fuzz import stores, values
from tests.support import NOW, ROOT
from tideline_cli.__main__ import main

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.fuzz.lines import Line

CODES = frozenset((0, 1, 2, 3, 4, 5, 6, 73, 75, 130))
LONGEST = 5.0  # seconds
# C0 but the line break and the tab, DEL, C1, separators of lines, marks that turn text around.
_IN_DATA = "\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069"
_HIDDEN = "\u061c\u200b\u200e\u200f\u2060-\u2065\ufeff\U000e0000-\U000e007f"
_ACTING = re.compile(f"[{_IN_DATA}{_HIDDEN}]")
_ACTING_IN_JSON = re.compile(f"[{_IN_DATA}]")
_COLOR = re.compile("\x1b\\[[0-9;]*m")
# Files for other programs: what they hold is the facts themselves.
_FILES = ("csv", "tsv", "markdown", "raw")


class Hang(BaseException):
    """A call that did not end; no `except Exception` of ours stops it."""


@contextmanager
def surroundings(folder: Path) -> Iterator[list[str]]:
    """Give calls a home, a PATH without programs and hostile files; yield paths to name."""
    kept, here = dict(os.environ), os.getcwd()
    work = folder / "work"
    work.mkdir(parents=True)
    (folder / "bin").mkdir()
    os.environ.clear()
    os.environ.update(
        HOME=str(folder), TIDELINE_HOME=str(folder / "home"), TIDELINE_NOW=str(NOW),
        PATH=str(folder / "bin"), TMPDIR=str(work), LANG="C.UTF-8", PYTHONPATH=str(ROOT),
    )  # fmt: skip
    os.chdir(work)
    try:
        yield [*values.put_files(work), str(folder / "home" / "tideline.db")]
    finally:
        os.chdir(here)
        os.environ.clear()
        os.environ.update(kept)


def furnish(folder: Path, condition: str) -> Path:
    """Make the home anew, with a memory file in this condition, and return the file's path."""
    home = folder / "home"
    shutil.rmtree(home, ignore_errors=True)
    path = home / "tideline.db"
    stores.put_store(condition, path)
    return path


def called(line: Line) -> Result | str:
    """Return what a call in this process leaves behind, or how it failed to end."""
    before = signal.signal(signal.SIGALRM, _ring)
    signal.setitimer(signal.ITIMER_REAL, 2 * LONGEST)
    start = time.monotonic()
    try:
        done = _run(line)
    except Hang:
        return "did not end"
    except SystemExit as error:
        return f"left by SystemExit {error.code}"
    except Exception as error:
        return f"raised {type(error).__name__}: {error}"
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    took = time.monotonic() - start
    return done if took < LONGEST else f"took {took:.1f} s"


def _run(line: Line) -> Result:
    """Run a line with streams like those of a process: only stderr prints what has no encoding."""
    out, err = io.BytesIO(), io.BytesIO()
    kept = sys.stdin, sys.stdout, sys.stderr
    sys.stdin = io.TextIOWrapper(io.BytesIO(line.stdin), encoding="utf-8")
    sys.stdout = io.TextIOWrapper(out, encoding="utf-8")
    sys.stderr = io.TextIOWrapper(err, encoding="utf-8", errors="backslashreplace")
    try:
        code = main(list(line.argv))
        sys.stdout.flush()
        sys.stderr.flush()
        return Result(code, out.getvalue().decode(), err.getvalue().decode())
    finally:
        sys.stdin, sys.stdout, sys.stderr = kept


def run_process(line: Line) -> Result | str:
    """Return what a process of its own leaves behind, or how it failed to end."""
    try:
        done = subprocess.run(
            [sys.executable, "-m", "tideline_cli", *line.argv], input=line.stdin,
            capture_output=True, timeout=4 * LONGEST, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return "did not end"
    return Result(done.returncode, done.stdout.decode(), done.stderr.decode())


def complaints(line: Line, done: Result | str) -> list[str]:
    """Return which promises a call broke."""
    if isinstance(done, str):
        return [done]
    found = []
    if done.code not in CODES:
        found.append(f"exit code {done.code}")
    if "Traceback" in done.err and "--debug" not in line.argv:
        found.append("a traceback")
    reasons = done.out + done.err if _reports(line) else done.err
    if done.code > 1 and not reasons.strip():
        found.append(f"code {done.code} and no reason")
    pattern = _ACTING_IN_JSON if "--json" in line.argv else _ACTING
    if acting := pattern.search(done.err):
        found.append(f"stderr holds {acting[0]!r}")
    if acting := _acting_in(line, done.out):
        found.append(f"stdout holds {acting[0]!r}")
    if line.asks_json:
        found += _json_complaints(line, done)
        found += [f"stderr has no JSON line: {part[:80]}" for part in _plain_lines(done.err)]
    return found


def _acting_in(line: Line, out: str) -> re.Match[str] | None:
    named = (word.removeprefix("--format=").removeprefix("--") for word in line.argv)
    if any(word in _FILES for word in named):
        return None
    if any("always" in word for word in line.argv):
        out = _COLOR.sub("", out)
    is_json = "--json" in line.argv or line.command == "export" or _streams(line)
    return (_ACTING_IN_JSON if is_json else _ACTING).search(out)


def _json_complaints(line: Line, done: Result) -> list[str]:
    is_help = any(word in ("-h", "--help", "--version") for word in line.argv)
    is_result = done.code in (0, 1) or (line.command == "doctor" and not done.err)
    if is_result and done.out and not is_help and line.command != "export":
        try:
            for part in done.out.splitlines() if _streams(line) else [done.out]:
                json.loads(part, parse_constant=_refuse)
        except ValueError as error:
            return [f"stdout is no JSON: {error}"]
    if done.code > 1 and done.code != 130 and not (_reports(line) and done.out):
        form = _last_object(done.err)
        error = form.get("error") if isinstance(form, dict) else None
        keys = set(error) - {"traceback", "facts"} if isinstance(error, dict) else set()
        if keys != {"code", "message", "hint"}:
            return ["no JSON error on stderr"]
        if not (error["code"] and error["message"] and isinstance(error["hint"], str)):
            return ["an error without code, message or hint"]
    return []


def _plain_lines(err: str) -> list[str]:
    """Return the lines of stderr that are not one object of a known kind."""
    found = []
    for part in err.splitlines():
        form = _last_object(part)
        if not (isinstance(form, dict) and set(form) in ({"note"}, {"warning"}, {"error"})):
            found.append(part)
    return found


def _reports(line: Line) -> bool:
    """Say whether what is wrong is a command's result, and stands on stdout."""
    return line.command == "doctor" or "--batch" in line.argv


def _streams(line: Line) -> bool:
    return line.command == "mcp" or any(
        word in ("--batch", "--jsonl", "--nl", "--format=jsonl", "jsonl") for word in line.argv
    )


def _last_object(text: str) -> Any:
    try:
        return json.loads(text.rstrip("\n").split("\n")[-1])
    except ValueError:
        return None


def _refuse(name: str) -> None:
    raise ValueError(f"JSON has no {name}")


def _ring(*_: object) -> None:
    raise Hang
