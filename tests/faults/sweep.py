"""The n-th call fails, for each n until it is not reached: nothing is lost, nothing is claimed."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

from tests.faults.figures import Figures, copied, filled, problem, state, text
from tests.faults.injected import FAULTS
from tideline_cli.store.opening import open_for_reading

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

    from tests.faults.nursery import Done, Nursery

NEW = text(4711)
_ROWS = "".join(json.dumps({"content": text(5000 + i)}) + "\n" for i in range(30))
COMMANDS = {
    "remember": (("remember", NEW, "--json"), ""),
    "first": (("remember", NEW, "--json"), ""),  # the first of all, which makes the store
    "forget": (("forget", "{id}", "--json"), ""),
    "edit": (("edit", "{id}", NEW, "--json"), ""),
    "dream": (("dream", "--relate-at", "0.2", "--merge-at", "0.6", "--max-loss", "1", "--json"),
              ""),
    "undo": (("undo", "--json"), ""),
    "import": (("import", "-", "--trust", "--json"), _ROWS),
    "purge": (("purge", "{id}", "--yes", "--json"), ""),
    "recall": (("recall", text(3), "--json"), ""),
}  # fmt: skip
_ALLOWED = {0, 73, 75}  # 5 would call a failing disk a damaged store
_LONGEST = 400


def sweep(
    nursery: Nursery, folder: Path, *, commands: tuple[str, ...] = tuple(COMMANDS),
    faults: tuple[str, ...] = FAULTS, most: int = _LONGEST, logged: bool = False,
) -> Figures:  # fmt: skip
    """Let each kind of call fail at every place of every command; `logged` begins with a store
    whose last changes stand in its log alone."""
    figures = Figures("n-th fault, with a log" if logged else "n-th fault")
    template = folder / "template"
    ids = filled(nursery, template)
    if logged:
        template = _with_log(nursery, template, folder / "logged")
    facts = state(copied(template, folder / "home"))  # a look writes the log back
    texts = {fact_id: content for fact_id, (content, _) in facts.items()}
    for command in commands:
        for fault in faults:
            for n in range(1, most + 1):
                home = copied(template, folder / "home")
                if command == "first":
                    for left in home.glob("tideline.db*"):  # a reserve tells of a memory
                        left.unlink()
                argv, stdin = COMMANDS[command]
                done = nursery.run(
                    *(part.format(id=ids[5]) for part in argv), home=home, stdin=stdin,
                    fault=fault, n=n,
                )  # fmt: skip
                if done.report.get("reached") is False:
                    if done.code != 0:
                        figures.violations.append(f"{command} {fault}: fails by itself: {done}")
                    break
                figures.counts["runs"] += 1
                figures.counts[_outcome(done)] += 1
                where = f"{command} {fault} n={n}"
                figures.violations += [f"{where}: {one}" for one in _judged(command, done)]
                figures.violations += [
                    f"{where}: {one}" for one in _after(command, done, home, ids, texts)
                ]
    return figures


def _with_log(nursery: Nursery, home: Path, target: Path) -> Path:
    """Write a few facts more to a store, and put a copy of it with its log at `target`, as a
    machine leaves it that loses its power."""
    reader = open_for_reading(str(home / "tideline.db"))  # keeps the log from being written back
    assert reader is not None
    reader.execute("SELECT count(*) FROM fact").fetchall()
    for number in range(900, 903):
        assert nursery.run("remember", text(number), home=home).code == 0
    shutil.copytree(home, target, ignore=shutil.ignore_patterns("*-shm"))
    reader.close()
    assert (target / "tideline.db-wal").stat().st_size > 0
    return target


def _outcome(done: Done) -> str:
    return "killed" if done.code < 0 else "done all the same" if done.code == 0 else "refused"


def _judged(command: str, done: Done) -> list[str]:
    """Return what is wrong with how a command ended."""
    wrong = []
    if done.code >= 0 and done.code not in _ALLOWED:
        wrong.append(f"exit code {done.code}: {done.err}")
    if "Traceback" in done.err or "internal error" in done.err:
        wrong.append(f"traceback: {done.err[-300:]}")
    if done.code > 0:
        *notes, last = [json.loads(line) for line in done.err.splitlines()] or [{}]
        if not (last.get("error") or {}).get("message") or any("note" not in one for one in notes):
            wrong.append(f"not one error: {done.err}")
        if done.out and command not in ("recall",):
            wrong.append(f"acknowledged and failed: {done.out[:200]}")
    return wrong


def _after(
    command: str, done: Done, home: Path, ids: list[str], texts: dict[str, str]
) -> list[str]:
    """Return what is wrong with what a command left behind."""
    try:
        facts = state(home)
    except Exception as error:
        return [problem(error)]
    told = json.loads(done.out) if done.out else None
    wrong = []
    if command != "first":
        kept = set(ids) - ({ids[5]} if command == "purge" else set())
        if command == "undo":
            kept = kept if kept & set(facts) else set()
        wrong += [
            f"lost or changed: {fact_id}" for fact_id in kept
            if facts.get(fact_id, ("", ""))[0] != texts[fact_id]
        ]
    if told is not None and (claim := _false_claim(command, told, facts, ids)):
        wrong.append(claim)
    return wrong


def _false_claim(
    command: str, told: Any, facts: dict[str, tuple[str, str]], ids: list[str]
) -> str:
    """Return what a command says it did and did not do."""
    match command:
        case "remember" | "first" | "edit" if facts.get(told["id"]) != (NEW, "active"):
            return "acknowledged, not there"
        case "forget" if facts[ids[5]][1] == "active":
            return "acknowledged, not forgotten"
        case "purge" if ids[5] in facts:
            return "acknowledged, not purged"
        case "import" if told["added"] != len(facts) - len(ids):
            return f"says {told['added']} were added: {len(facts) - len(ids)}"
        case "dream":
            gone = [one["merged"] for one in told["origins"][0]["consolidated"]]
            if any(facts[fact_id][1] == "active" for fact_id in gone):
                return "acknowledged, not merged"
        case "undo" if set(facts) & set(ids):
            return "acknowledged, not undone"
    return ""
