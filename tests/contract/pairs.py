"""One call, made as text, as JSON, with its global options in front, and by the other parser: it
must say and do the same."""

from __future__ import annotations

import io
import json
import os
import tempfile
import time
from collections import Counter
from contextlib import contextmanager, redirect_stderr
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any
from unittest import mock

from tests.contract import lines, said
from tests.contract.world import World
from tests.fuzz import calls
from tideline_cli.cli import app, fast, perform
from tideline_cli.cli.commands import COMMANDS
from tideline_cli.model.record import record

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.conftest import Result
    from tests.contract.lines import Line

_KINDS = ({"note"}, {"warning"}, {"error"})
_CLASHES = ("--json cannot go with", "cannot go with --json")
_TOOK = "took "
_A_HOME = 3  # of how many lines one is also called with its globals in front


@record
class Found:
    """A difference, and the call that showed it."""

    what: str
    argv: tuple[str, ...]


@record
class Figures:
    """What a run compared."""

    lines: int
    calls: int
    seconds: float
    codes: dict[int, int]
    commands: dict[str, int]
    clashes: int
    found: tuple[Found, ...]


ENDING = [name for name in COMMANDS if name not in ("serve", "pick", "member")]
"""The commands that end by themselves, and are for files too; what `serve` answers is held against
them in tests/serve, what a reader picks in tests/cli, and members are those of tests/postgres."""


def compared(count: int, *, seed: int) -> Figures:
    """Compare `count` command lines, the commands in turn; equal seeds give equal lines."""
    rng = Random(seed)
    codes: Counter[int] = Counter()
    good: Counter[str] = Counter()
    found: list[Found] = []
    made = clashes = 0
    start = time.monotonic()
    names = ENDING
    with surroundings() as world:
        for number in range(count):
            line = lines.drawn(rng, world, names[number % len(names)])
            one = _Comparison(world, line)
            one.run(moved=rng.randrange(_A_HOME) == 0)
            found += [Found(what, one.culprit) for what in one.found]
            made += one.calls
            clashes += one.is_clash
            if one.code is not None:
                codes[one.code] += 1
                good[line.command] += one.code in (0, 1)
    took = time.monotonic() - start
    ordered = dict(sorted(codes.items()))
    return Figures(count, made, took, ordered, dict(good), clashes, tuple(found))


def told(figures: Figures) -> str:
    """Return the figures as lines."""
    counts = ", ".join(f"{code}: {count:,}" for code, count in figures.codes.items())
    text = (
        f"{figures.lines:,} command lines of {len(figures.commands)} commands, {figures.calls:,} "
        f"calls in {figures.seconds:.0f} s; exit codes {counts}; {figures.clashes:,} refused for "
        f"--json alone; {len(figures.found)} differences"
    )
    least = min(figures.commands.items(), key=lambda pair: pair[1], default=("", 0))
    text += f"\nleast often done: {least[0]}, {least[1]:,} times"
    for one in figures.found[:40]:
        text += f"\n- {one.what[:500]}: {' '.join(ascii(part)[:90] for part in one.argv)}"
    return text


@contextmanager
def surroundings() -> Iterator[World]:
    """Give calls a world in a folder of its own, with nothing of the user's."""
    with tempfile.TemporaryDirectory(prefix="tideline-contract-") as name:
        folder = Path(name)
        with calls.surroundings(folder):
            for entry in os.scandir("."):  # the hostile files are another test's
                _remove(entry.path)
            yield World(folder)


def _remove(path: str) -> None:
    if os.path.isdir(path) and not os.path.islink(path):
        os.rmdir(path)
    else:
        os.unlink(path)


class _Comparison:
    """What one line says and does in its forms."""

    def __init__(self, world: World, line: Line) -> None:
        self._world = world
        self._line = line
        self.found: list[str] = []
        self.code: int | None = None
        self.calls = 0
        self.is_clash = False
        self.culprit: tuple[str, ...] = line.argv()

    def run(self, *, moved: bool) -> None:
        """Make the calls and compare them."""
        plain, state = self._called(*self._line.argv())
        as_json, json_state = self._called(*self._line.argv("--json"))
        self.found += parsers_differ(self._line)
        if plain is None or as_json is None:
            return
        self.code = plain.code
        self._check_json(as_json)
        # A door ends with 0, whatever it says.
        self.is_clash = as_json.code in (0, 2) and any(one in as_json.err for one in _CLASHES)
        if not self.is_clash:
            self._compare(plain, as_json)
            if state != json_state:
                self.found.append("--json leaves another memory behind")
        if moved and self._line.globals:
            first, first_state = self._called(*self._line.argv(first=True))
            if first is not None and (_shape(first), first_state) != (_shape(plain), state):
                self.found.append(f"global options in front change it: {first!r:.300}")

    def _called(self, *argv: str) -> tuple[Result | None, Any]:
        self.calls += 1
        done = self._world.call(argv, self._line.stdin)
        if isinstance(done, str):
            self.found.append(done)
            return None, None
        if done.code not in calls.CODES or "Traceback" in done.err:
            self.found.append(f"exit code {done.code}: {done.err:.300}")
        return done, self._world.state()

    def _check_json(self, done: Result) -> None:
        for part in done.err.splitlines():
            form = _parsed(part)
            if not (isinstance(form, dict) and set(form) in _KINDS):
                self.found.append(f"stderr beside --json is no JSON line: {part:.200}")
        if done.code > 1 and not self._is_report() and '"error"' not in done.err:
            self.found.append(f"code {done.code} without an error object")
        if not done.out:
            if done.code == 0 and self._answers():
                self.found.append("code 0 and nothing on stdout beside --json")
            return
        parts = done.out.splitlines() if self._streams() else [done.out]
        if any(not isinstance(_parsed(part), dict) for part in parts):
            self.found.append(f"stdout beside --json is not one object: {done.out:.200}")

    def _compare(self, plain: Result, as_json: Result) -> None:
        if plain.code != as_json.code:
            self.found.append(f"exit code {plain.code}, with --json {as_json.code}")
            return
        heard = plain.err.replace("\n  hint: ", "; ")
        for message in _messages(as_json.err):
            if message.split("\n")[0] not in heard and not message.startswith(_TOOK):
                self.found.append(f"only --json says {message:.200}: {plain.err:.200}")
        if self._streams():
            if plain.out != as_json.out:
                self.found.append("a stream is another with --json")
        elif as_json.out and "--quiet" not in self.culprit and "-q" not in self.culprit:
            form = _parsed(as_json.out)
            if isinstance(form, dict) and not self._is_format():
                text = plain.out
                self.found += said.difference(self._line.command, form, text)

    def _streams(self) -> bool:
        own = self._line.own
        if self._line.command == "export":
            return not any("out.1" in part or "rows.jsonl" in part for part in own)
        is_lines = {"--jsonl", "--nl", "--format=jsonl", "jsonl"} & {*own}
        if self._line.command == "mcp":
            return True
        # Of other commands --batch is a filter.
        is_batch = "--batch" in own and self._line.command in ("remember", "recall")
        return is_batch or (bool(is_lines) and self._line.command != "import")

    def _is_report(self) -> bool:
        return self._line.command == "doctor" or "--batch" in self._line.own

    def _is_format(self) -> bool:
        """Say whether the text is JSON itself, or of a format that JSON has no word of."""
        return any(part in ("json", "--format=json") for part in self._line.own)

    def _answers(self) -> bool:
        """Say whether a success of the command has a result: what is streamed may be empty."""
        return not (self._streams() or "--auto" in self._line.own)


def parsers_differ(line: Line) -> list[str]:
    """Say where the two parsers read a line differently; nothing where the first is not sure."""
    found = []
    for first in (False, True):
        argv = line.argv(first=first)
        quick = fast.parse(argv)
        if quick is None:
            continue
        heard: list[Any] = []
        with (
            mock.patch.object(perform, "perform", lambda *given, to=heard: to.append(given) or 0),
            redirect_stderr(io.StringIO()),
        ):
            app.run(argv)
        if not heard:
            found.append("only the first parser takes it")
        elif (heard[0][0], _tidy(heard[0][1])) != (quick[0], _tidy(quick[1])):
            found.append(f"the parsers differ: {quick!r:.200} and {heard[0]!r:.200}")
    return found


def _tidy(given: dict[str, Any]) -> dict[str, Any]:
    return {name: list(value) if isinstance(value, (list, tuple)) else value
            for name, value in given.items()}  # fmt: skip


def _shape(done: Result) -> tuple[int, str, str]:
    err = [part for part in done.err.splitlines() if _TOOK not in part]
    return done.code, done.out, "\n".join(err)


def _messages(err: str) -> Iterator[str]:
    for part in err.splitlines():
        form = _parsed(part)
        if isinstance(form, dict):
            for value in form.values():
                yield value.get("message", "") if isinstance(value, dict) else ""


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


