"""Power cuts: what a disk may hold after one, replayed from a recorded log of writes."""

from __future__ import annotations

import json
import pickle
from bisect import bisect_left
from typing import TYPE_CHECKING

from tests.faults.figures import Figures, problem, state

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

    from tests.faults.nursery import Nursery
    from tests.faults.recording import Entry

SECTOR = 512
MODES = ("dropped", "prefix", "subset", "torn")


def cut(
    nursery: Nursery, folder: Path, random: Random, *, states: int, control: str = "",
    lying: bool = False, commands: int = 40,
) -> Figures:  # fmt: skip
    """Cut the power at random places of two sessions, and see what is left of what they said.

    A `lying` disk says that it has synced and has not: with it, loss is expected.
    """
    figures = Figures("power cut")
    for company in (False, True):
        log = _recorded(nursery, folder, commands, company, control)
        said = [place for place, entry in enumerate(log) if entry[0] == "ack"]
        figures.counts["writes"] += sum(entry[0] == "write" for entry in log)
        figures.counts["syncs"] += sum(entry[0] == "sync" for entry in log)
        for number in range(states // 2):
            # Half of the cuts follow right after something was said.
            place = random.randrange(said[0], len(log) + 1)
            if number % 2:
                place = said[min(bisect_left(said, place), len(said) - 1)] + 1
            mode = MODES[number // 2 % len(MODES)]
            home = folder / "cut"
            disk_after(log[:place], home, mode, random, lying=lying)
            figures.counts["states"] += 1
            figures.counts[f"of them {mode}"] += 1
            found = _lost(log[:place], home)
            if found:
                figures.violations.append(f"{mode} at {place} of {len(log)}: {found}")
    return figures


def _recorded(
    nursery: Nursery, folder: Path, commands: int, company: bool, control: str
) -> list[Entry]:
    home = folder / f"recorded-{company}-{control}"
    home.mkdir(parents=True)
    path = home / "log"
    done = nursery.run(
        home=home, call="tests.faults.recording:session", control=control, timeout=300,
        args={"log": str(path), "commands": commands, "company": company},
    )  # fmt: skip
    assert done.code == 0, done
    log: list[Entry] = pickle.loads(path.read_bytes())
    return log


def disk_after(
    log: list[Entry], home: Path, mode: str, random: Random, *, lying: bool = False,
    base: bytes = b"",
) -> None:  # fmt: skip
    """Write the files as the disk may hold them after the log: what was synced, and of the rest
    nothing, a beginning, some, or some sectors. `base` is the store as it was before."""
    files = {"tideline.db": bytearray(base)}
    waiting: dict[str, list[Entry]] = {}
    for entry in log:
        kind, name, _, _ = entry
        if kind in ("write", "truncate"):
            waiting.setdefault(name, []).append(entry)
        elif kind == "sync" and not lying:
            for one in waiting.pop(name, []):
                _apply(files, one)
        elif kind == "delete":  # entries of a folder count as durable, in order
            files.pop(name, None)
            waiting.pop(name, None)
    for name, entries in waiting.items():
        files.setdefault(name, bytearray())
        for one in _survivors(entries, mode, random):
            _apply(files, one)
    home.mkdir(exist_ok=True)
    for old in home.iterdir():
        old.unlink()
    for name, content in files.items():
        (home / name).write_bytes(content)


def _survivors(entries: list[Entry], mode: str, random: Random) -> list[Entry]:
    match mode:
        case "prefix":
            return entries[: random.randrange(len(entries) + 1)]
        case "subset":
            return [one for one in entries if random.random() < 0.5]
        case "torn":
            kept = []
            for kind, name, offset, data in entries:
                if kind == "write":
                    for start in range(0, len(data), SECTOR):
                        if random.random() < 0.7:
                            part = data[start : start + SECTOR]
                            kept.append((kind, name, offset + start, part))
                elif random.random() < 0.7:
                    kept.append((kind, name, offset, data))
            return kept
    return []


def _apply(files: dict[str, bytearray], entry: Entry) -> None:
    kind, name, offset, data = entry
    content = files.setdefault(name, bytearray())
    if kind == "truncate":
        del content[offset:]
        content.extend(bytes(offset - len(content)))
        return
    content.extend(bytes(max(0, offset - len(content))))
    content[offset : offset + len(data)] = data


def _lost(log: list[Entry], home: Path) -> str:
    """Return what is missing of what was said up to the cut, or back; empty when nothing is."""
    try:
        facts = state(home)
    except Exception as error:
        return problem(error)
    there: dict[str, str] = {}
    added = 0
    forgotten: set[str] = set()
    for kind, _, _, data in log:
        for line in data.splitlines() if kind == "ack" else ():
            match json.loads(line):
                case {"action": _, "id": str(fact_id), "fact": {"content": str(content)}}:
                    there[fact_id] = content
                case {"forgotten": list(ids)}:
                    forgotten.update(ids)
                case {"added": int(count)}:
                    added += count
                case {"purged": list(ids)}:
                    for fact_id in ids:
                        del there[fact_id]
                        if fact_id in facts:
                            return f"back after a purge: {fact_id}"
    lost = [fact_id for fact_id, content in there.items() if facts.get(fact_id, "?")[0] != content]
    # A purge that was not yet acknowledged may have taken one.
    if len(lost) > int(_is_purging(log)):
        return f"{len(lost)} of {len(there)} facts lost"
    back = [one for one in forgotten & set(facts) if facts[one][1] == "active"]
    if back:
        return f"forgotten and back: {back}"
    if len(facts) < len(there) - len(lost) + added:
        return f"{added} were imported, and are not all there"
    return ""


def _is_purging(log: list[Entry]) -> bool:
    """Say whether the command after the last thing said is a purge; see recording.session."""
    return sum(entry[0] == "ack" for entry in log) % 16 == 7
