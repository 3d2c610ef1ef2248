"""make faults: every part at length, a table of figures, and exit 1 when anything was violated."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from tests.faults import (
    clocks,
    crowd,
    doors,
    first_use,
    full_disk,
    kills,
    powercut,
    rounds,
    signals,
    sweep,
)
from tests.faults.figures import Figures, table
from tests.faults.nursery import Nursery
from tests.faults.round_commands import ALL
from tests.sync import interruptions

if TYPE_CHECKING:
    from collections.abc import Callable

SEED = 20_260_101

PASSES = ("import", "import much", "recall slowly", "restore --from", "dream")


def parts(nursery: Nursery, folder: Path) -> dict[str, Callable[[], Figures]]:
    """Return what there is to run, by name. Controls are to fail, and count as violated when they
    do not."""
    random = Random(SEED)

    def place(name: str) -> Path:
        made = folder / name
        made.mkdir()
        return made

    return {
        "kills": lambda: kills.kill(nursery, place("k"), random, kills=1000),
        "kills-control": lambda: must_fail(
            kills.kill(nursery, place("kc"), random, kills=60, control="ack-early"), "ack early"
        ),
        "sweep": lambda: sweep.sweep(nursery, place("s")),
        "sweep-log": lambda: sweep.sweep(
            nursery, place("sl"), commands=("remember", "forget", "recall"), logged=True
        ),
        "powercut": lambda: powercut.cut(nursery, place("p"), random, states=3000),
        "powercut-normal": lambda: must_fail(
            powercut.cut(nursery, place("pn"), random, states=100, control="sync-normal"),
            "synchronous NORMAL",
        ),
        "powercut-off": lambda: must_fail(
            powercut.cut(nursery, place("po"), random, states=100, control="sync-off"),
            "synchronous OFF",
        ),
        "powercut-lying": lambda: must_fail(
            powercut.cut(nursery, place("pl"), random, states=100, lying=True), "a lying disk"
        ),
        "doors": lambda: doors.acknowledged(nursery, place("d")),
        "doors-control": lambda: must_fail(
            doors.acknowledged(nursery, place("dc"), control="sync-normal"), "doors, NORMAL"
        ),
        "first-use": lambda: first_use.at_once(nursery, place("f"), rounds=20),
        "full-disk": lambda: full_disk.fill(nursery, place("fd")),
        "full-disk-small": lambda: full_disk.fill_small(nursery, place("fs")),
        "clocks": lambda: clocks.go_wrong(nursery, place("c")),
        "crowd": lambda: crowd.writers(nursery, folder / "w", crowd=16, each=200),
        "crowd-dream": lambda: crowd.writers(
            nursery, folder / "wd", crowd=12, each=100, pause=0.05, dreaming=True, readers=2
        ),
        "rounds": lambda: rounds.rounds(
            nursery, folder / "r", random, count=int(os.environ.get("ROUNDS", "1000"))
        ),
        "rounds-control": lambda: must_fail(
            rounds.rounds(
                nursery, folder / "rc", random, count=60, control="restore-unlocked",
                commands=[one for one in ALL if one.name in ("remember", "restore --from")],
            ),
            "restore without its lock",
        ),
        "rounds-generation": lambda: must_fail(
            rounds.rounds(
                nursery, folder / "rg", random, count=300, control="any-generation", enough=1,
                commands=[one for one in ALL if one.name in PASSES],
            ),
            "any generation",
        ),
        "rounds-lock": lambda: must_fail(
            rounds.rounds(nursery, folder / "rl", random, count=60, control="no-write-lock"),
            "no write lock",
        ),
        "slow-model": lambda: crowd.slow_model(nursery, folder / "sm", seconds=10),
        "readers": lambda: crowd.held_up(nursery, folder / "h", seconds=3),
        "log": lambda: crowd.log_growth(nursery, folder / "l", count=5000),
        "hooks": lambda: crowd.leftovers(nursery, folder / "hk", calls=200),
        "sync": lambda: interruptions.sweep(nursery, place("sy")),
        "interrupts": lambda: signals.interrupt(nursery, place("i"), random, rounds=60),
        "closed-pipes": lambda: signals.closed_pipes(nursery, place("cp")),
    }


def must_fail(figures: Figures, name: str) -> Figures:
    """Return the figures of a control, in which violations are what is wanted."""
    told = Figures(f"control: {name}", figures.counts)
    told.counts["caught"] = len(figures.violations)
    if not figures.violations:
        told.violations.append("the rig did not see what it must see")
    return told


def main(wanted: list[str]) -> int:
    """Run the parts named, or all of them."""
    done: list[Figures] = []
    with tempfile.TemporaryDirectory(prefix="tideline-faults-") as folder, Nursery() as nursery:
        known = parts(nursery, Path(folder))
        for name in wanted or known:
            start = time.monotonic()
            done.append(known[name]())
            sys.stderr.write(f"{name}: {time.monotonic() - start:.0f} s\n")
    print(table(done))
    return int(any(part.violations for part in done))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
