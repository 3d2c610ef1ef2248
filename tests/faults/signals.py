"""Commands that are interrupted end quietly, with the right code, and leave the store whole."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

from tests.faults.figures import Figures, copied, filled, problem, state, text
from tests.faults.nursery import ROOT
from tests.faults.sweep import COMMANDS

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

    from tests.faults.nursery import Nursery

_NAMES = ("remember", "import", "dream", "recall")
_ENDS = {
    signal.SIGINT: {0, 130},
    signal.SIGTERM: {0, 143, -signal.SIGTERM},  # a shell shows the last one as 143
}


def interrupt(nursery: Nursery, folder: Path, random: Random, *, rounds: int) -> Figures:
    """Interrupt commands inside a write transaction, and at random moments."""
    figures = Figures("interrupts")
    template = folder / "template"
    ids = filled(nursery, template)
    for name in _NAMES:
        for number in _ENDS:
            for place in range(rounds + 1):
                inside = place == 0
                delay = 5.0 if inside else random.random() * 0.03
                home = copied(template, folder / "home")
                code, err = _interrupted(nursery, home, name, number, delay, inside)
                figures.counts["signals"] += 1
                figures.counts["in a transaction"] += inside
                where = f"{name} {number.name} {'inside' if inside else f'{delay:.3f} s'}"
                if code not in _ENDS[number] - ({0} if inside and name != "recall" else set()):
                    figures.violations.append(f"{where}: ended with {code}: {err}")
                if not _is_quiet(name, err.replace("in the transaction\n", "")):
                    figures.violations.append(f"{where}: says {err}")
                figures.violations += [f"{where}: {one}" for one in _harm(home, ids, name, inside)]
    return figures


def _is_quiet(name: str, err: str) -> bool:
    """Say whether a command that was interrupted says nothing, or in one line how to go on."""
    return not err or (name in ("import", "dream") and err.count("\n") == 1 and "again" in err)


def _interrupted(
    nursery: Nursery, home: Path, name: str, number: signal.Signals, delay: float, inside: bool
) -> tuple[int, str]:
    argv, stdin = COMMANDS[name]
    source = home / "stdin"
    source.write_text(stdin)
    reading, writing = os.pipe()
    with source.open() as file:
        child = nursery.start(
            *argv, home=home, stdin=file.fileno(), err=writing,
            control="slow-commit" if inside else "",
        )  # fmt: skip
    os.close(writing)
    source.unlink()
    with open(reading) as said:
        if inside:
            said.readline()
        else:
            time.sleep(delay)
        child.kill(number)
        code = child.wait()
        return code, said.read()


def _harm(home: Path, ids: list[str], name: str, inside: bool) -> list[str]:
    try:
        facts = state(home)
    except Exception as error:
        return [problem(error)]
    lost = [f"lost: {fact_id}" for fact_id in ids if fact_id not in facts]
    if inside and len(facts) != len(ids):
        lost.append("an interrupted transaction was committed")
    return lost


def closed_pipes(nursery: Nursery, folder: Path) -> Figures:
    """A reader that went away before anything was said: the command ends with 0 and no word."""
    figures = Figures("closed pipes")
    template = folder / "template"
    ids = filled(nursery, template)
    for name in (*_NAMES, "forget"):
        home = copied(template, folder / "home")
        argv, stdin = COMMANDS[name]
        (home / "stdin").write_text(stdin)
        reading, writing = os.pipe()
        os.close(reading)
        with (home / "stdin").open() as source, (home / "err").open("w+") as err:
            child = nursery.start(
                *(part.format(id=ids[5]) for part in argv), home=home, stdin=source.fileno(),
                out=writing, err=err.fileno(),
            )  # fmt: skip
            os.close(writing)
            code = child.wait()
            err.seek(0)
            said = err.read()
        figures.counts["commands"] += 1
        if (code, said) != (0, ""):
            figures.violations.append(f"{name}: ended with {code}: {said}")
        facts = state(home)
        if set(ids) - set(facts):
            figures.violations.append(f"{name}: facts lost")
    return figures


# A signal that comes when a module of ours is looked for, the one with that number.
_LOADING = """
import os, sys
class At:
    count = 0
    def find_spec(self, name, path=None, target=None):
        if name.startswith("tideline_cli."):
            At.count += 1
            if At.count == {place}:
                os.kill(os.getpid(), {number})
from tideline_cli import __main__ as door
install = door._find_modules_fast
def first():
    install()
    sys.meta_path.insert(0, At())
door._find_modules_fast = first
sys.argv[1:] = {argv!r}
door.enter()
"""


def loading(home: Path, *, every: int) -> Figures:
    """Signals at each module that a first command loads before its verb, one of `every`."""
    figures = Figures("signals while modules load")
    environ = {**os.environ, "TIDELINE_HOME": str(home), "PYTHONPATH": str(ROOT)}
    argv = ["remember", text(0)]
    for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, -15), (signal.SIGHUP, -1)):
        for place in range(1, 200, every):
            script = _LOADING.format(place=place, number=int(number), argv=argv)
            done = subprocess.run(
                [sys.executable, "-c", script], stdin=subprocess.DEVNULL, capture_output=True,
                env=environ, check=False, timeout=60,
            )  # fmt: skip
            where = f"{number.name} at module {place}"
            if done.returncode == 0:  # the command has fewer modules
                break
            figures.counts["signals"] += 1
            if (done.returncode, done.stderr) != (code, b""):
                said = done.stderr.decode(errors="replace")
                figures.violations.append(f"{where}: ended with {done.returncode}: {said}")
    if (home / "tideline.db").exists():
        state(home)
    return figures


def starting(home: Path, random: Random, *, rounds: int) -> Figures:
    """Ctrl-C while a process of its own starts: no traceback."""
    figures = Figures("interrupted starts")
    environ = {**os.environ, "TIDELINE_HOME": str(home), "PYTHONPATH": str(ROOT)}
    for number in range(rounds):
        child = subprocess.Popen(
            [sys.executable, "-m", "tideline_cli", "remember", text(number)],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environ,
        )  # fmt: skip
        time.sleep(0.03 + random.random() * 0.06)
        child.send_signal(signal.SIGINT)
        _, err = child.communicate(timeout=60)
        figures.counts["starts"] += 1
        if b"/tideline_cli/" in err:  # before our first line, the interpreter has the word
            line = err.decode().strip().splitlines()[-1]
            figures.violations.append(f"traceback, exit {child.returncode}: {line}")
    if (home / "tideline.db").exists():
        state(home)
    return figures
