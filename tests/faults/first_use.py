"""The first use of all, by many processes at once."""

from __future__ import annotations

import json
import tempfile
from typing import TYPE_CHECKING

from tests.faults.figures import Figures, state, text

if TYPE_CHECKING:
    from pathlib import Path

    from tests.faults.nursery import Nursery


def at_once(nursery: Nursery, folder: Path, *, crowd: int = 16, rounds: int = 1) -> Figures:
    """Let a crowd of processes remember something where there is no store yet."""
    figures = Figures("first use")
    for number in range(rounds):
        home = folder / f"first-{number}" / "to" / "be" / "made"
        folder.joinpath(f"first-{number}").mkdir()
        with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
            children = [
                nursery.start(
                    "remember", text(place), "--json", home=home.parents[2], out=out.fileno(),
                    err=err.fileno(), environ={"TIDELINE_HOME": str(home)},
                )
                for place in range(crowd)
            ]  # fmt: skip
            codes = [child.wait() for child in children]
            for stream in (out, err):
                stream.seek(0)
            said, complaints = out.read(), err.read()
        figures.counts["processes"] += crowd
        if any(codes) or complaints:
            figures.violations.append(f"exit codes {codes}: {complaints}")
        told = [json.loads(line) for line in said.splitlines()]
        facts = state(home)
        if sorted(content for content, _ in facts.values()) != sorted(map(text, range(crowd))):
            figures.violations.append(f"{len(facts)} facts of {crowd}")
        if sorted(one["batch"] for one in told) != list(range(1, crowd + 1)):
            figures.violations.append("batches are not numbered one by one")
        if {one["id"] for one in told} != set(facts):
            figures.violations.append("ids said are not the ids stored")
    return figures
