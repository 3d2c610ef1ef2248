"""A full disk: what was said stays, reading works, the message names the disk, room mends it."""

from __future__ import annotations

import json
import os
import subprocess
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tests.faults.figures import Figures, filled, problem, state, text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.faults.nursery import Done, Nursery

KIB = 1024
NOT_RUN = "not run: nothing may be mounted here"
NEEDED = 512 * KIB  # room in which everything works in a small store, purge included


@contextmanager
def small_disk(folder: Path, size: int) -> Iterator[bool]:
    """Yield True with a file system of so many bytes at `folder`, False where none may be made."""
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={size},mode=0700", "tmpfs", str(folder)]
    try:
        mounted = subprocess.run(command, capture_output=True, check=False).returncode == 0
    except OSError:
        mounted = False
    try:
        yield mounted
    finally:
        if mounted:
            subprocess.run(["umount", str(folder)], check=True)


def fill(nursery: Nursery, folder: Path) -> Figures:
    """Fill a disk to the last byte, or, where none may be mounted, have every write fail that
    would make a file larger."""
    figures = Figures("full disk")
    with small_disk(folder / "disk", 32 * 1024 * KIB) as mounted:
        home = folder / "disk"
        ids = filled(nursery, home)
        figures.notes["by"] = "tmpfs" if mounted else "failing writes"
        plug = home / "plug"
        fault = {} if mounted else {"fault": "write:full"}
        if mounted:
            fill_up(plug, leave=0)
        figures.violations += _while_full(nursery, home, ids, fault, figures)
        try:
            gone = set(ids[2:3]) if "purge" in figures.notes else set()
            if set(state_after(plug, home)) != set(ids) - gone:
                figures.violations.append("facts were lost or made")
        except Exception as error:
            figures.violations.append(problem(error))
        for argv in (("remember", text(800)), ("forget", ids[3]), ("purge", ids[4], "--yes")):
            done = nursery.run(*argv, home=home)
            if done.code != 0 or "pending" in done.err:
                figures.violations.append(f"after room was made: {argv}: {done}")
        state(home)
        if mounted:
            _find_need(nursery, home, plug, figures)
    return figures


def fill_small(nursery: Nursery, folder: Path) -> Figures:
    """Fill a disk of 3 MiB with facts and then with something else: whatever changes single facts
    works, over and over, and doctor calls nothing damaged."""
    figures = Figures("small full disk")
    with small_disk(folder / "disk", 3 * 1024 * KIB) as mounted:
        if not mounted:
            figures.notes["by"] = NOT_RUN
            return figures
        home = folder / "disk"
        ids = _filled_up(nursery, home)
        figures.notes["facts"] = f"{len(ids):,}"
        fill_up(home / "plug", leave=0)
        for argv in (
            ("forget", ids[0]), ("restore", ids[0]), ("pin", ids[1]), ("unpin", ids[1]),
            ("feedback", ids[2], "up"), ("edit", ids[3], "these words are new"), ("undo",),
            ("link", ids[4], ids[5]), ("undo",), *(("forget", one) for one in ids[6:16]),
        ):  # fmt: skip
            done = nursery.run(*argv, home=home)
            figures.counts["commands"] += 1
            if done.code != 0:
                figures.violations.append(f"{argv} on a small full disk: {done}")
        checked = nursery.run("doctor", home=home)
        if checked.code != 0 or "warning  room: the disk is" not in checked.out:
            figures.violations.append(f"doctor on a small full disk: {checked}")
        done = nursery.run("purge", ids[17], "--yes", home=home)  # takes a third of the store
        if done.code not in (0, 73) or (done.code == 73 and "full" not in done.err):
            figures.violations.append(f"purge on a small full disk: {done}")
        figures.notes["purge"] = "works" if done.code == 0 else "73"
        (home / "plug").unlink()
        state(home)
    return figures


def import_too_much(nursery: Nursery, folder: Path) -> Figures:
    """Fill a disk of 4 MiB with an import: the log, which finds no room in the file, stays short
    enough that facts can be forgotten."""
    figures = Figures("import on a small disk")
    with small_disk(folder / "disk", 4 * 1024 * KIB) as mounted:
        if not mounted:
            figures.notes["by"] = NOT_RUN
            return figures
        home = folder / "disk"
        lines = "".join(json.dumps({"content": text(place)}) + "\n" for place in range(9000))
        done = nursery.run("import", "-", "--trust", home=home, stdin=lines)
        if done.code != 73:
            figures.violations.append(f"an import that is larger than the disk: {done}")
        fill_up(home / "plug", leave=0)
        listed = nursery.run("list", "--limit", "12", home=home).out
        for line in listed.splitlines():
            done = nursery.run("forget", line.split("\t")[0], home=home)
            figures.counts["commands"] += 1
            if done.code != 0:
                figures.violations.append(f"forget after an import filled the disk: {done}")
        (home / "plug").unlink()
        state(home)
    return figures


def _filled_up(nursery: Nursery, home: Path) -> list[str]:
    """Remember until the disk is full, in ever smaller batches; return the ids."""
    ids: list[str] = []
    for size in (300, 30, 3):
        while True:
            rows = [{"content": text(len(ids) + place)} for place in range(size)]
            lines = "".join(json.dumps(row) + "\n" for row in rows)
            done = nursery.run("remember", "--batch", home=home, stdin=lines)
            if done.code != 0:
                assert done.code == 73, done
                break
            ids += [json.loads(line)["id"] for line in done.out.splitlines()]
    return ids


def state_after(plug: Path, home: Path) -> dict[str, tuple[str, str]]:
    """Return the facts once there is room again."""
    plug.unlink(missing_ok=True)
    return state(home)


def _while_full(
    nursery: Nursery, home: Path, ids: list[str], fault: dict[str, str], figures: Figures
) -> list[str]:
    wrong = []
    for argv in (
        ("remember", text(700)), ("recall", text(3)), ("context", text(3)), ("status",), ("list",),
        ("export",), ("forget", ids[2]), ("purge", ids[2], "--yes"), ("dream",),
        ("recall", text(3)),
    ):  # fmt: skip
        done: Done = nursery.run(*argv, home=home, **fault)
        figures.counts["commands"] += 1
        if argv[0] in ("recall", "context", "status", "list", "export"):
            if done.code != 0 or not done.out:
                wrong.append(f"{argv} on a full disk: {done}")
        elif done.code == 0:
            figures.notes[argv[0]] = "works"
        elif done.code != 73 or "the disk" not in done.err or "full" not in done.err or done.out:
            wrong.append(f"{argv} on a full disk: {done}")
    return wrong


def fill_up(plug: Path, *, leave: int) -> None:
    """Fill the disk but for `leave` bytes."""
    free = os.statvfs(plug.parent)
    size = free.f_bavail * free.f_frsize - leave
    with plug.open("wb") as file:
        if size > 0:
            os.posix_fallocate(file.fileno(), 0, size)


def _find_need(nursery: Nursery, home: Path, plug: Path, figures: Figures) -> None:
    """Find how much room a forget takes that has no reserve."""
    for leave in range(16 * KIB, NEEDED, 16 * KIB):
        listed = nursery.run("list", home=home).out
        state(home)  # what the reader left is gone then
        fact_id = listed.split("\t")[0]
        (home / "tideline.db-reserve").unlink(missing_ok=True)
        fill_up(plug, leave=leave)
        done = nursery.run("forget", fact_id, home=home)
        plug.unlink()
        state(home)
        if done.code == 0:
            figures.notes["forget takes"] = f"{leave // KIB} KiB"
            return
    figures.violations.append(f"forget takes more than {NEEDED // KIB} KiB")
