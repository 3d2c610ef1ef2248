"""The commands of a round: how each is called, how it may end, which facts it says it stored."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tests.faults.figures import text

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

_BUSY = 75
_GONE = 3
_REFUSED = 4
_MODEL = """#!/bin/sh
cat > /dev/null
sleep {pause}
cat <<'END'
{reply}
END
"""


@dataclass
class World:
    """The store that each round begins with a copy of, and the files beside it."""

    folder: Path
    home: Path
    ids: list[str] = field(default_factory=list)
    twins: list[str] = field(default_factory=list)
    held: list[str] = field(default_factory=list)
    archived: list[str] = field(default_factory=list)
    newest: list[str] = field(default_factory=list)
    slots: tuple[str, ...] = ("city", "editor", "team")
    made: int = 0

    def fresh(self) -> str:
        """Return a text that nobody has said yet."""
        self.made += 1
        return text(100_000 + self.made)

    def file(self, name: str) -> str:
        return str(self.folder / name)

    def write(self) -> None:
        """Write what the commands read: rows, a conversation, and models that think a while."""
        for name, count in (("short.jsonl", 40), ("long.jsonl", 1500), ("longest.jsonl", 3000)):
            rows = (json.dumps({"content": text(200_000 + n)}) + "\n" for n in range(count))
            (self.folder / name).write_text("".join(rows))
        said = [("user", "I live in Lund and my dog is called Rex."), ("assistant", "Noted."),
                ("user", "I prefer tea in the morning.")]  # fmt: skip
        (self.folder / "talk.jsonl").write_text(
            "".join(json.dumps({"role": role, "content": what}) + "\n" for role, what in said)
        )
        because = {self.twins[0]: {"by": self.ids[0], "reason": "says the same"},
                   self.twins[2]: {"by": self.ids[2], "reason": "says the same"},
                   self.twins[1]: {"by": self.ids[1], "reason": "says the same"}}  # fmt: skip
        edge = {"a": self.newest[0], "b": self.newest[1], "type": "same_topic", "reason": "both",
                "strength": 3}  # fmt: skip
        facts = [
            {"content": "The user lives in Lund.", "segment": "identity"},
            {"content": "The user drinks tea in the morning.", "segment": "preference"},
        ]
        self._model("tidy", {"archive": list(because), "because": because})
        self._model("distil", {"facts": facts, "relationships": []})
        self._model("join", {"relationships": [edge]})

    def _model(self, name: str, reply: dict[str, object]) -> None:
        for pause in ("0.05", "0.4"):
            path = self.folder / f"{name}-{pause}"
            path.write_text(_MODEL.format(pause=pause, reply=json.dumps(reply)))
            path.chmod(0o700)


def _nothing(_: str) -> list[str]:
    return []


def _its_id(out: str) -> list[str]:
    return [json.loads(out)["id"]]


def _ids_of_lines(out: str) -> list[str]:
    return [one["id"] for one in map(json.loads, out.splitlines()) if "id" in one]


def _facts(out: str) -> list[str]:
    found: list[str] = json.loads(out)["facts"]
    return found


Call = Callable[[World, "Random"], "list[str]"]


@dataclass(frozen=True)
class Command:
    """One kind of command. `slowly`: whoever reads what it says takes a while."""

    name: str
    call: Call
    codes: tuple[int, ...] = (0, _BUSY)
    said: Callable[[str], list[str]] = _nothing
    stdin: Callable[[World], str] = lambda _: ""
    weight: int = 2
    slowly: bool = False

    def words(self, world: World, random: Random) -> tuple[list[str], str]:
        """Return the words of a call, and its standard input."""
        return self.call(world, random), self.stdin(world)


def _model_of(world: World, random: Random, name: str) -> str:
    return world.file(f"{name}-{random.choice(('0.05', '0.4'))}")


def _lines(world: World) -> str:
    return "".join(json.dumps({"content": world.fresh()}) + "\n" for _ in range(5))


_UNDONE = (0, 2, _GONE, _REFUSED, _BUSY)  # there may be nothing left to take back
_ONE = (0, _GONE, _REFUSED, _BUSY)  # the fact may be gone, or held by another

ALL: tuple[Command, ...] = (
    Command("remember", lambda w, _: ["remember", w.fresh(), "--json"], said=_its_id, weight=6),
    Command("remember --batch", lambda *_: ["remember", "--batch"], said=_ids_of_lines,
            stdin=_lines),
    Command("remember --slot", lambda w, r: [
        "remember", w.fresh(), "--slot", r.choice(w.slots), "--json"], said=_its_id, weight=5),
    Command("remember --slot once", lambda w, r: [
        "remember", f"the {w.slots[0]} is Lund", "--slot", w.slots[0], "--json"], said=_its_id),
    Command("edit", lambda w, r: ["edit", r.choice(w.ids), w.fresh(), "--json"], _ONE,
            said=_its_id, weight=3),
    Command("edit --tag", lambda w, r: ["edit", r.choice(w.ids), "--tag", "new"], _ONE),
    Command("supersede", lambda w, r: [
        "remember", w.fresh(), "--supersedes", r.choice(w.ids), "--json"], _ONE, said=_its_id),
    Command("forget", lambda w, r: ["forget", r.choice(w.ids + w.held)], _ONE, weight=3),
    Command("restore", lambda w, r: ["restore", r.choice(w.archived)], _ONE, weight=3),
    Command("undo", lambda *_: ["undo"], _UNDONE, weight=3),
    Command("undo N", lambda w, r: ["undo", str(r.randint(1, 8))], _UNDONE),
    Command("dream", lambda *_: ["dream"], weight=3),
    Command("dream at low thresholds", lambda *_: [
        "dream", "--merge-at", "0.9", "--relate-at", "0.8", "--max-loss", "1"]),
    Command("gc", lambda *_: ["gc", "--max-loss", "1"]),
    Command("consolidate", lambda w, r: [
        "consolidate", "--force", "--llm", _model_of(w, r, "tidy")], weight=3),
    Command("extract", lambda w, r: [
        "extract", w.file("talk.jsonl"), "--all-now", "--llm", _model_of(w, r, "distil"), "--json"],
        said=_facts, weight=3),
    Command("relink", lambda w, r: ["relink", "--llm", _model_of(w, r, "join")], weight=2),
    Command("import", lambda w, r: [
        "import", "--trust", w.file(r.choice(("short.jsonl", "short.jsonl", "long.jsonl")))],
        weight=4),
    Command("import much", lambda w, _: ["import", "--trust", w.file("longest.jsonl")], weight=1),
    Command("import --merge", lambda w, r: [
        "import", "--merge", w.file(r.choice(("short.jsonl", "long.jsonl")))], weight=1),
    Command("purge", lambda w, r: ["purge", "--yes", r.choice(w.ids)], _ONE),
    Command("retention", lambda *_: ["retention", "--days", "30", "--yes"], weight=1),
    Command("backup", lambda w, _: ["backup", "--force", w.file("copy.db")], weight=3),
    Command("restore --from", lambda w, _: ["restore", "--from", w.file("old.db"), "--yes"],
            weight=7),
    Command("config set analyzer", lambda w, r: [
        "config", "set", "analyzer", r.choice(("reference", "reference", "standard"))], weight=4),
    Command("config set sameness", lambda w, r: [
        "config", "set", "sameness", r.choice(("reference", "strict"))], weight=1),
    Command("doctor --repair", lambda *_: ["doctor", "--repair", "--yes"], weight=3),
    Command("recall slowly", lambda *_: ["recall", "apple", "--limit", "50", "--json"],
            (0, 1), weight=5, slowly=True),
    Command("recall", lambda w, r: ["recall", text(r.randint(0, 30))], (0, 1)),
    Command("recall --batch", lambda *_: ["recall", "--batch"], (0, 1),
            stdin=lambda _: "apple\namber\nlagoon\n", slowly=True),
    Command("context", lambda w, r: ["context", text(r.randint(0, 30))], (0, 1)),
    Command("export", lambda *_: ["export"], (0,), slowly=True),
    Command("pin", lambda w, r: ["pin", r.choice(w.ids)], _ONE),
    Command("unpin", lambda w, r: ["unpin", r.choice(w.ids)], _ONE),
    Command("link", lambda w, r: ["link", *r.sample(w.ids, 2)], _ONE),
    Command("feedback", lambda w, r: ["feedback", r.choice(w.ids), "up"], _ONE),
)  # fmt: skip

LOSING = frozenset(("undo", "undo N", "purge", "retention"))
"""Commands after which facts may be gone on purpose."""
