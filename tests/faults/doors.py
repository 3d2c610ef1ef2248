"""Every door acknowledges after the commit is on the disk: with the power cut the instant a command
has spoken, and all that was not synced gone, what it said is so."""

from __future__ import annotations

import json
import pickle
from random import Random
from typing import TYPE_CHECKING, Any

import apsw

from tests.faults.figures import Figures, copied, filled, state, text
from tests.faults.powercut import disk_after
from tideline_cli.store.opening import open_for_reading

if TYPE_CHECKING:
    from pathlib import Path

    from tests.faults.nursery import Nursery
    from tests.faults.recording import Entry

_ROWS = "".join(json.dumps({"content": text(3000 + number)}) + "\n" for number in range(20))
_TALK = "".join(
    json.dumps({"role": "user", "content": f"call me at 1380013800{n} or mail a{n}@example.org"})
    + "\n" for n in range(3)
)  # fmt: skip
DOORS = {
    "remember": ("", "remember", text(2000)),
    "remember --batch": (_ROWS, "remember", "--batch"),
    "import": (_ROWS, "import", "-"),
    "import --merge": (_ROWS, "import", "-", "--merge"),
    "forget": ("", "forget", "{id}"),
    "edit": ("", "edit", "{id}", text(2001)),
    "undo": ("", "undo"),
    "pin": ("", "pin", "{id}"),
    "link": ("", "link", "{id}", "{other}", "--kind", "supports"),
    "purge": ("", "purge", "{id}", "--yes"),
    "extract": (_TALK, "extract", "-", "--llm", "none"),
    "dream": ("", "dream", "--relate-at", "0.2", "--merge-at", "0.6", "--max-loss", "1"),
}


def acknowledged(nursery: Nursery, folder: Path, *, control: str = "") -> Figures:
    """Run each door once and compare the disk at the instant it has spoken with the end."""
    figures = Figures("doors")
    template = folder / "template"
    ids = filled(nursery, template)
    _write_back(template / "tideline.db")
    base = (template / "tideline.db").read_bytes()
    for door, (stdin, *argv) in DOORS.items():
        home = copied(template, folder / "home")
        log_path = folder / "log"
        told = nursery.run(
            home=home, call="tests.faults.recording:command", control=control,
            args={"log": str(log_path), "stdin": stdin, "argv": [
                *(part.format(id=ids[5], other=ids[6]) for part in argv), "--json",
            ]},
        )  # fmt: skip
        assert told.code == 0, told
        log: list[Entry] = pickle.loads(log_path.read_bytes())
        acks = [place for place, entry in enumerate(log) if entry[0] == "ack"]
        if not acks:
            figures.violations.append(f"{door}: said nothing")
            continue
        after = _everything(home)
        disk_after(log[: acks[0] + 1], folder / "cut", "dropped", Random(0), base=base)
        figures.counts["doors"] += 1
        if after == _everything(template):
            figures.violations.append(f"{door}: did nothing")
        if _everything(folder / "cut") != after:
            figures.violations.append(f"{door}: spoke before it was on the disk")
    return figures


def _write_back(path: Path) -> None:
    """Empty the log of a store, so that the file alone is the store."""
    db = apsw.Connection(str(path))
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    db.close()


def _everything(home: Path) -> list[list[Any]]:
    """Return the tables that hold what was said."""
    state(home)
    db = open_for_reading(str(home / "tideline.db"))
    assert db is not None
    try:
        return [
            db.execute(f"SELECT * FROM {table} ORDER BY 1").fetchall()
            for table in ("fact", "link", "batch", "change", "usage")
        ]
    finally:
        db.close()
