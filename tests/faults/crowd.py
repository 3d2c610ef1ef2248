"""Crowds: many writers, readers beside them, a dream in a loop, a log that must not grow."""

from __future__ import annotations

import contextlib
import json
import os
import time
from typing import TYPE_CHECKING

import apsw

from tests.faults.figures import Figures, filled, percentile, problem, state, text
from tideline_cli.memory.query import Query
from tideline_cli.memory.recall import recall
from tideline_cli.memory.remember import remember
from tideline_cli.model.fact import NewFact
from tideline_cli.model.origin import OWNER
from tideline_cli.store.connection import begin, commit
from tideline_cli.store.opening import open_for_reading, open_for_writing

if TYPE_CHECKING:
    from pathlib import Path

    from tests.faults.nursery import Nursery

MIB = 1 << 20


def write(*, count: int, first: int, pause: float, to: str) -> None:
    """One writer: `count` facts over one kept connection; how long each took goes to a file."""
    from tideline_cli.cli.new_fact import new_id

    took: list[float] = []
    errors: list[str] = []
    db = open_for_writing(_store())
    for number in range(first, first + count):
        new = NewFact(text(number), "knowledge", "owner_message", OWNER)
        now = time.time_ns() // 1_000_000
        start = time.perf_counter()
        try:
            remember(db, new, fact_id=new_id(now), now=now)
        except Exception as error:
            errors.append(problem(error))
        took.append((time.perf_counter() - start) * 1000)
        time.sleep(pause)
    db.close()
    _tell(to, took, errors)


def read(*, seconds: float, to: str) -> None:
    """One reader: it asks over and over, and never has a write transaction open."""
    took: list[float] = []
    errors: list[str] = []
    end = time.monotonic() + seconds
    number = 0
    while time.monotonic() < end:
        number += 1
        start = time.perf_counter()
        try:
            db = open_for_reading(_store())
            if db is not None:
                recall(db, Query(text(number % 50)), viewer=OWNER, now=time.time_ns() // 1_000_000)
                if db.txn_state() == apsw.SQLITE_TXN_WRITE:
                    errors.append("a reader wrote")
                db.close()
        except Exception as error:
            errors.append(problem(error))
        took.append((time.perf_counter() - start) * 1000)
        time.sleep(0.005)
    _tell(to, took, errors)


def hold(*, seconds: float) -> None:
    """Keep a write transaction open, and say when it has begun."""
    db = open_for_writing(_store())
    begin(db)
    db.execute("INSERT INTO setting (name, value) VALUES ('held', '1')")
    os.write(1, b"held\n")
    time.sleep(seconds)
    commit(db)
    db.close()


def _store() -> str:
    return os.path.join(os.environ["TIDELINE_HOME"], "tideline.db")


def _tell(path: str, took: list[float], errors: list[str]) -> None:
    with open(path, "w") as file:
        json.dump({"took": took, "errors": errors}, file)


def writers(
    nursery: Nursery, home: Path, *, crowd: int, each: int, pause: float = 0.0,
    dreaming: bool = False, readers: int = 0,
) -> Figures:  # fmt: skip
    """Let a crowd write at once, with dreams in a loop and readers beside it if wanted."""
    name = f"{crowd} writers" + (", dream, readers" if dreaming else "")
    figures = Figures(name)
    home.mkdir()
    nursery.run("remember", "the first fact of all", home=home)
    papers = [home.parent / f"{home.name}-{place}.json" for place in range(crowd + readers)]
    children = [
        nursery.start(home=home, call="tests.faults.crowd:write", err=2, args={
            "count": each, "first": 1000 + place * each, "pause": pause, "to": str(papers[place]),
        })
        for place in range(crowd)
    ]  # fmt: skip
    children += [
        nursery.start(home=home, call="tests.faults.crowd:read", err=2, args={
            "seconds": max(1.0, each * pause), "to": str(paper),
        })
        for paper in papers[crowd:]
    ]  # fmt: skip
    while dreaming and _is_running(children[0]):
        done = nursery.run("dream", "--relate-at", "1", "--json", home=home, timeout=300)
        figures.counts["dreams"] += 1
        if done.code != 0:
            figures.violations.append(f"dream: {done.code} {done.err}")
    ends = [child.wait(600) for child in children]
    if any(ends):
        figures.violations.append(f"exit codes {ends}")
    told = [json.loads(paper.read_text()) for paper in papers]
    figures.violations += [error for one in told for error in one["errors"]]
    with contextlib.closing(open_for_reading(str(home / "tideline.db"))) as db:
        rows = db.execute("SELECT count(*) FROM fact").get - 1
    figures.counts["rows"] = rows
    figures.counts["errors"] = sum(len(one["errors"]) for one in told)
    if rows != crowd * each:
        figures.violations.append(f"{rows} rows of {crowd * each}")
    _note_times(figures, "write", [ms for one in told[:crowd] for ms in one["took"]])
    _note_times(figures, "read", [ms for one in told[crowd:] for ms in one["took"]])
    if crowd * each <= 1000:  # the check embeds every fact anew
        state(home)
    return figures


def _is_running(child: object) -> bool:
    with contextlib.suppress(ProcessLookupError):
        os.kill(child.pid, 0)  # type: ignore[attr-defined]
        return True
    return False


def _note_times(figures: Figures, what: str, took: list[float]) -> None:
    if took:
        figures.notes[f"{what} ms"] = (
            f"p50 {percentile(took, 0.5):.1f} p99 {percentile(took, 0.99):.1f} max {max(took):.1f}"
        )


def slow_model(nursery: Nursery, home: Path, *, seconds: float) -> Figures:
    """While a model thinks, others write as ever, and what they write stays."""
    figures = Figures("slow model")
    ids = filled(nursery, home)
    model = home / "model.sh"
    reply = {"archive": ids[:1], "because": {ids[0]: {"by": ids[1], "reason": "said again"}}}
    model.write_text(f"#!/bin/sh\ncat > /dev/null\nsleep {seconds}\necho '{json.dumps(reply)}'\n")
    model.chmod(0o700)
    thinking = nursery.start("consolidate", "--llm", str(model), "--force", home=home)
    time.sleep(0.3)
    end = time.monotonic() + seconds - 0.6
    took: list[float] = []
    while time.monotonic() < end:
        start = time.perf_counter()
        done = nursery.run("remember", text(7000 + len(took)), home=home)
        took.append((time.perf_counter() - start) * 1000)
        if done.code != 0:
            figures.violations.append(f"remember beside a model: {done.code} {done.err}")
    if not _is_running(thinking):
        figures.violations.append("the model answered before the writers were done")
    figures.counts["commands meanwhile"] = len(took)
    _note_times(figures, "command", took)
    if thinking.wait() != 0:
        figures.violations.append("consolidate failed")
    facts = state(home)
    if len(facts) != len(ids) + len(took):
        figures.violations.append(f"{len(facts)} facts of {len(ids) + len(took)}")
    if facts[ids[0]][1] != "archived":
        figures.violations.append("the model's answer was lost")
    return figures


def held_up(nursery: Nursery, home: Path, *, seconds: float = 3.0) -> Figures:
    """While one process keeps the write lock, those that read answer as fast as ever."""
    figures = Figures("readers beside a lock")
    home.mkdir()
    rows = "".join(json.dumps({"content": text(number)}) + "\n" for number in range(200))
    nursery.run("remember", "--batch", home=home, stdin=rows)
    asked = (
        ("recall", text(5)), ("context", text(5)), ("status", "--json"), ("list",), ("export",),
        ("recall", text(9), "--no-touch"),
    )  # fmt: skip
    took: dict[bool, list[float]] = {False: [], True: []}
    for locked in (False, True):
        out, into = os.pipe()
        if locked:
            holder = nursery.start(
                home=home, call="tests.faults.crowd:hold", args={"seconds": seconds}, out=into
            )
            os.read(out, 10)
        for argv in asked:
            start = time.perf_counter()
            done = nursery.run(*argv, home=home)
            took[locked].append((time.perf_counter() - start) * 1000)
            if done.code != 0:
                figures.violations.append(f"{argv} beside a writer: {done.code} {done.err}")
        os.close(out)
        os.close(into)
    late = max(b - a for a, b in zip(took[False], took[True], strict=True))
    if late > 1000:
        figures.violations.append(f"a reader waited for {late:.0f} ms")
    figures.counts["reads beside a lock"] = len(asked)
    figures.notes["slower by at most"] = f"{max(late, 0):.0f} ms"
    assert holder.wait() == 0
    return figures


def log_growth(nursery: Nursery, home: Path, *, count: int) -> Figures:
    """The write-ahead log stays short beside short readers, and shrinks after a long one."""
    figures = Figures("write-ahead log")
    home.mkdir()
    path = str(home / "tideline.db")
    nursery.run("remember", "the first fact of all", home=home)
    paper = home.parent / "wal.json"
    sizes: dict[str, int] = {}
    for name, first in (("with a reader", 0), ("with a snapshot kept", count)):
        db = open_for_reading(path)
        assert db is not None
        if "kept" in name:
            db.execute("BEGIN")
            db.execute("SELECT count(*) FROM fact").fetchall()
        child = nursery.start(home=home, call="tests.faults.crowd:write", args={
            "count": count, "first": 1000 + first, "pause": 0.0, "to": str(paper),
        })  # fmt: skip
        assert child.wait(600) == 0
        figures.violations += json.loads(paper.read_text())["errors"]
        sizes[name] = os.path.getsize(path + "-wal")
        if "kept" in name:
            db.execute("COMMIT")
            for number in range(2):
                nursery.run("remember", text(900_000 + number), home=home)
            sizes["two writes later"] = os.path.getsize(path + "-wal")
        db.close()
    nursery.run("remember", text(910_000), home=home)
    sizes["closed"] = os.path.getsize(path + "-wal") if os.path.exists(path + "-wal") else 0
    for name, most in (("with a reader", 16), ("two writes later", 17), ("closed", 0)):
        if sizes[name] > most * MIB:
            figures.violations.append(f"the log has {sizes[name]:,} bytes {name}")
    figures.counts["writes"] = 2 * count
    figures.notes |= {name: f"{size / MIB:.1f} MiB" for name, size in sizes.items()}
    return figures


def leftovers(nursery: Nursery, home: Path, *, calls: int) -> Figures:
    """Calls as a hook makes them leave nothing behind but the store and its lock files."""
    figures = Figures("hook-like calls")
    home.mkdir()
    for number in range(calls):
        argv = (
            ("context", text(number), "--auto"), ("remember", text(number)),
            ("recall", text(number - 1)), ("status",),
        )[number % 4]  # fmt: skip
        done = nursery.run(*argv, home=home)
        if done.code not in (0, 1):
            figures.violations.append(f"{argv}: {done.code} {done.err}")
    files = sorted(file.name for file in home.iterdir())
    allowed = {"tideline.db", "tideline.db-wal", "tideline.db-shm", "tideline.db-lock",
               "tideline.db-reserve"}
    if not set(files) <= allowed:
        figures.violations.append(f"left behind: {set(files) - allowed}")
    facts = state(home)  # closes as a writer, which empties the log
    left = sorted(file.name for file in home.iterdir() if file.name.endswith(("-wal", "-shm")))
    if left:
        figures.violations.append(f"left behind after the last close: {left}")
    figures.counts["calls"] = calls
    figures.counts["facts"] = len(facts)
    figures.notes["files"] = " ".join(files)
    size = sum(file.stat().st_size for file in home.iterdir())
    figures.notes["size"] = f"{size / 1024:.0f} KiB"
    return figures
