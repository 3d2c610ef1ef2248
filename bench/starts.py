"""What a command costs before anything is found: the instructions of the process, the modules of
ours that it loads, and how much of their compiled code never runs.

    python bench/starts.py [--unused recall]

Instructions are counted by valgrind (cachegrind), so they are the same on a busy machine; without
it they are left out. --unused lists the functions that a command loads and does not run, the
largest first: what a module of its own would keep from a cold start.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
from dataclasses import dataclass

import corpus
import stores
import timing

FACTS = 1000
_NOTHING = "import os; os._exit(0)"  # the program ends so, too
_ENTER = "from tideline_cli.__main__ import enter\nenter()\n"
_WATCH = """
import json, marshal, os, sys
import tideline_cli.__main__ as program

ran = set()

def note(frame, event, argument):
    code = frame.f_code
    ran.add((code.co_filename, code.co_qualname))

def parts(code):
    for one in code.co_consts:
        if hasattr(one, "co_code"):
            yield one
            yield from parts(one)

def say(code, end=os._exit):
    sys.setprofile(None)
    told = {"bytes": {}, "unused": {}}
    for name, module in list(sys.modules.items()):
        path = getattr(module, "__file__", None)
        if not name.startswith("tideline_cli") or not path:
            continue
        with open(path, encoding="utf-8") as file:
            compiled = compile(file.read(), path, "exec")
        told["bytes"][name] = len(marshal.dumps(compiled))
        for one in parts(compiled):
            is_whole = "<" not in one.co_qualname
            if is_whole and (path, one.co_qualname) not in ran:
                told["unused"][f"{name}:{one.co_qualname}"] = len(marshal.dumps(one))
    with open(os.environ["WATCHED"], "w", encoding="utf-8") as file:
        json.dump(told, file)
    end(code)

os._exit = say
sys.setprofile(note)
program.enter()
"""


@dataclass
class Start:
    """What one command starts with. `instructions` are millions beyond those of a Python that
    ends at once, None without valgrind."""

    name: str
    instructions: float | None
    modules: int
    kib: float
    unused_kib: float
    unused: dict[str, int]


def measure() -> list[Start]:
    """Return the figures of the common commands, each on a fresh copy of the 1000-fact store."""
    query = corpus.queries(1)[0][0]
    commands = {
        "--version": ["--version"],
        "recall": ["recall", query],
        "context": ["context", query],
        "remember": ["remember", corpus.fresh(1)[0], "-q"],
        "status --json": ["status", "--json"],
    }
    base = _instructions(["-c", _NOTHING])
    return [_start(name, words, base) for name, words in commands.items()]


def _start(name: str, words: list[str], base: float | None) -> Start:
    told = os.path.join(timing.WORK, "watched.json")
    _run([timing.PYTHON, "-c", _WATCH, *words], WATCHED=told)
    with open(told, encoding="utf-8") as file:
        found = json.load(file)
    counted = _instructions(["-c", _ENTER, *words])
    more = None if counted is None or base is None else counted - base
    unused = sum(found["unused"].values())
    whole = sum(found["bytes"].values())
    return Start(name, more, len(found["bytes"]), whole / 1024, unused / 1024, found["unused"])


def _instructions(argv: list[str]) -> float | None:
    """Return the millions of instructions of a Python process; None without valgrind."""
    counter = shutil.which("valgrind")
    if counter is None:
        return None
    tool = ["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]
    said = _run([counter, *tool, timing.PYTHON, *argv], PYTHONHASHSEED="0")
    found = re.search(r"I\s+refs:\s+([\d,]+)", said)
    return int(found[1].replace(",", "")) / 1e6 if found else None


def _run(argv: list[str], **env: str) -> str:
    """Run a process on a fresh copy of the store; return what it says on stderr."""
    env |= {"TIDELINE_DB": stores.copy(FACTS, "starts")}
    done = subprocess.run(
        argv, env=timing.clean_env(**env), cwd=timing.WORK, stdin=subprocess.DEVNULL,
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return done.stderr


def main() -> None:
    """Print the table, or the functions that a command loads and does not run."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--unused", metavar="COMMAND")
    args = parser.parse_args()
    starts = measure()
    print(f"{'':<14} {'M instr.':>9} {'modules':>8} {'KiB':>7} {'unused':>7}")
    for start in starts:
        count = "" if start.instructions is None else f"{start.instructions:.1f}"
        print(f"{start.name:<14} {count:>9} {start.modules:>8} {start.kib:>7.0f} "
              f"{start.unused_kib:>7.0f}")  # fmt: skip
    for start in starts:
        if start.name == args.unused:
            for name, size in sorted(start.unused.items(), key=lambda item: -item[1])[:60]:
                print(f"{size:>7}  {name}")


if __name__ == "__main__":
    main()
