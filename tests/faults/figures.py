"""What a part of the rig counted, and what it found wrong."""

from __future__ import annotations

import json
import shutil
import traceback
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tests.soundness import sound
from tideline_cli.store.opening import open_for_writing

if TYPE_CHECKING:
    from pathlib import Path

    from tests.faults.nursery import Nursery

WORDS = (
    "amber basalt cedar delta ember fjord garnet harbor indigo juniper kestrel lagoon marble "
    "nectar opal pewter quartz raven saffron tundra umber velvet willow xenon yarrow zephyr"
).split()


@dataclass
class Figures:
    """One line of the table: counts by name, and a list of violations, which is to be empty."""

    part: str
    counts: Counter[str] = field(default_factory=Counter)
    violations: list[str] = field(default_factory=list)
    notes: dict[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        told = [f"{count:,} {name}" for name, count in self.counts.items()]
        told += [f"{name} {text}" for name, text in self.notes.items()]
        return f"{self.part:<27} {len(self.violations):>10}  {', '.join(told)}"


def percentile(values: list[float], share: float) -> float:
    """Return the value below which a share of them lies."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def text(number: int) -> str:
    """Return a text that resembles no other."""
    word = WORDS[number % len(WORDS)]
    return f"{word}{number} of {WORDS[number // 26 % 26]}q{number * 7919} and r{number * 104729}"


def filled(nursery: Nursery, home: Path, count: int = 12) -> list[str]:
    """Make a store with `count` facts, some of them alike, at `home`; return their ids."""
    home.mkdir(exist_ok=True)
    rows = [{"content": text(number), "tags": ["base"]} for number in range(count)]
    rows[1] = {"content": f"{text(0)} {text(0)} as well"}
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    done = nursery.run("remember", "--batch", home=home, stdin=lines)
    assert done.code == 0, done
    return [json.loads(line)["id"] for line in done.out.splitlines()]


def state(home: Path) -> dict[str, tuple[str, str]]:
    """Return content and lifecycle of every fact, by id, after checking that the store is sound;
    raise AssertionError when it is not."""
    db = open_for_writing(str(home / "tideline.db"))
    try:
        assert db.execute("PRAGMA integrity_check").get == "ok"
        sound(db)
        return {
            fact_id: (content, lifecycle)
            for fact_id, content, lifecycle in db.execute(
                "SELECT id, content, lifecycle FROM fact"
            )
        }
    finally:
        db.close()


def problem(error: BaseException) -> str:
    """Return an error and where it arose on one line."""
    where = traceback.extract_tb(error.__traceback__)[-1]
    told = " ".join(str(error).split())[:200]
    return f"{type(error).__name__}: {told} ({where.name}: {where.line})"


def copied(template: Path, home: Path) -> Path:
    """Put a copy of a home, which no process has open, at `home`."""
    shutil.rmtree(home, ignore_errors=True)
    shutil.copytree(template, home)
    return home


def table(parts: list[Figures]) -> str:
    """Return the figures as lines, violations below them."""
    lines = [f"{'part':<27} {'violations':>10}  figures", *map(str, parts)]
    for part in parts:
        lines += [f"! {part.part}: {found}" for found in part.violations]
    return "\n".join(lines)

