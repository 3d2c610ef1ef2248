"""The fuzzer of the command line: many random calls over stores in every condition."""

from __future__ import annotations

import tempfile
import time
from collections import Counter
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from tests.fuzz import calls, lines, stores
from tideline_cli.model.record import record

if TYPE_CHECKING:
    from tests.fuzz.lines import Line

_A_HOME = 6  # calls that share one
_A_PROCESS = 25  # calls of which one is a process of its own


@record
class Found:
    """A broken promise, the line that broke it, and the store it met."""

    what: str
    line: Line
    condition: str


@record
class Figures:
    """What a run did."""

    calls: int
    processes: int
    seconds: float
    codes: dict[int, int]
    found: tuple[Found, ...]


def fuzzed(count: int, *, seed: int) -> Figures:
    """Make `count` calls and return the figures; equal seeds make equal calls."""
    rng = Random(seed)
    codes: Counter[int] = Counter()
    found: list[Found] = []
    processes = 0
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="tideline-fuzz-") as name:
        folder = Path(name)
        with calls.surroundings(folder) as paths:
            for number in range(count):
                if number % _A_HOME == 0:
                    condition = rng.choice(stores.NAMES + ("small",) * 5)
                    path = calls.furnish(folder, condition)
                    before = path.read_bytes() if condition in stores.UNTOUCHED else b""
                is_process = number % _A_PROCESS == _A_PROCESS - 1
                line = lines.drawn(rng, paths)
                if is_process and _can_be_passed(line.argv):
                    processes += 1
                    done = calls.run_process(line)
                else:
                    done = calls.called(line)
                what = calls.complaints(line, done)
                if condition in stores.UNTOUCHED and path.read_bytes() != before:
                    what.append("a file that is not ours was changed")
                    before = path.read_bytes()
                found += [Found(one, line, condition) for one in what]
                if not isinstance(done, str):
                    codes[done.code] += 1
    took = time.monotonic() - start
    return Figures(count, processes, took, dict(sorted(codes.items())), tuple(found))


def told(figures: Figures) -> str:
    """Return the figures as lines."""
    heads = f"{figures.calls:,} calls ({figures.processes:,} processes) in {figures.seconds:.0f} s"
    counts = ", ".join(f"{code}: {count:,}" for code, count in figures.codes.items())
    text = f"{heads}; exit codes {counts}; {len(figures.found)} promises broken"
    for one in figures.found[:60]:
        shown = " ".join(ascii(part)[:90] for part in one.line.argv)
        text += f"\n- {one.what[:300]}: {shown} [store: {one.condition}]"
    return text


def _can_be_passed(argv: tuple[str, ...]) -> bool:
    """Say whether the system takes these arguments: none holds a NUL or a half surrogate."""
    return all("\x00" not in part and "\ud800" not in part for part in argv)
