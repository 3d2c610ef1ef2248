"""Random programs of three origins, run with and without the others, and what one of them sees."""

from __future__ import annotations

import json
import random
import shutil
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest

from tests import backends
from tests.conftest import run_main
from tests.isolation import doors
from tests.support import NOW, empty_store_at
from tideline_cli.cli import model_options, new_fact
from tideline_cli.cli.commands import edit, extract, ingest, mcp
from tideline_cli.dream import consolidate
from tideline_cli.model.fact import ROLES
from tideline_cli.store.connection import put_setting
from tideline_cli.store.opening import open_for_writing

ORIGINS = ("owner", "channel:wa/c1/s1", "channel:wa/c1/s2@me")
WORDS = ("deploy", "friday", "alice", "vegetarian", "diet", "permit", "office", "coffee", "用户",
         "素食", "green", "train")  # fmt: skip
SLOTS = ("day", "drink", "place")
SEGMENTS = ("knowledge", "preference", "identity", "context", "project")
SOURCES = ("owner_message", "tool_output", "extraction", "user_instruction")
KINDS = ("relates", "contradicts", "uses", "causes")
ENDS = ("2025-09-01", "2025-10-09T09:00:00Z", "2025-10-10", "2026-01-01")
KINDS_OFFERED = ("slot", "tag", "scope", "session", "speaker", "document", "agent",
                 "active", "archived", "id", "batch")
MISSING = ("00000000000000000000000000", "ZZZZ", "7ZZZZZZZZZZZZZZZZZZZZZZZZZ")


def id_of(who, number):
    """Return the id that the n-th fact of an origin gets in every run."""
    return f"{ORIGINS.index(who) + 1}{number:025d}"


class Command:
    """One command of one origin: its words, standard input, the time, and a model's replies."""

    def __init__(self, who, words, *, stdin="", replies=(), at=NOW):
        self.who = who
        self.words = (*words, "--origin", who, "--now", str(at))
        self.stdin = stdin
        self.replies = replies

    def __repr__(self):
        return f"{' '.join(self.words)} <<< {self.stdin[:60]!r}"


class Author:
    """Writes the commands of one origin. `foreign` are the ids that it names without right."""

    def __init__(self, rng, who, foreign):
        self._rng = rng
        self._who = who
        self._own = [id_of(who, number) for number in range(1, 6)]
        self._foreign = foreign

    def command(self, at):
        """Return a random command."""
        rng = self._rng
        verb = rng.choice(_VERBS)
        words, stdin, replies = getattr(self, f"_{verb}")()
        return Command(self._who, words, stdin=stdin, replies=replies, at=at)

    def _text(self):
        return " ".join(self._rng.choices(WORDS, k=self._rng.randint(1, 5)))

    def _ids(self, most=1):
        pools = self._rng.choices((self._own, self._foreign, MISSING), (16, 3, 1), k=most)
        named = [self._rng.choice(pool) for pool in pools]
        return list(dict.fromkeys(named))[: self._rng.randint(1, most)]

    def _remember(self):
        rng = self._rng
        words = ["remember", self._text(), "-s", rng.choice(SEGMENTS), "--json"]
        for flag, value in (
            ("--slot", rng.choice(SLOTS)), ("--source", rng.choice(SOURCES)),
            ("--supersedes", self._ids()[0]), ("--derived-from", rng.choice(self._own)),
            ("--tag", rng.choice(WORDS)), ("--scope", "x"), ("--importance", str(rng.random())),
            ("--title", rng.choice(WORDS)),
            ("--kind", rng.choice(("note", "failure", "task", "constraint"))),
            ("--valid-to", rng.choice(ENDS)), ("--valid-from", rng.choice(ENDS)),
            ("--session", rng.choice("st")), ("--turn", str(rng.randint(0, 3))),
            ("--speaker", rng.choice(("Ann", "Bo"))), ("--role", rng.choice(ROLES)),
            ("--agent", rng.choice(("coder", "tester"))),
            ("--status", rng.choice(("active", "blocked", "done"))),
        ):  # fmt: skip
            words += [flag, value] if rng.random() < 0.3 else []
        return words, "", ()

    def _batch(self):
        rows = [
            {"content": self._text(), "supersedes": self._ids(2), "slot": self._rng.choice(SLOTS),
             "session": self._rng.choice((None, "s")), "turn": self._rng.randint(0, 3)}
            for _ in range(3)
        ]
        return ["remember", "--batch"], _lines(rows), ()

    def _import(self):
        rows = [
            {"content": self._text(), "slot": self._rng.choice((None, *SLOTS)),
             "conversation_id": self._rng.choice((None, "s")), "turn": self._rng.randint(0, 3),
             "role": self._rng.choice((None, "human", "ai")), "name": "Ann",
             "links": [{"kind": self._rng.choice(KINDS), "target": self._ids()[0]}]}
            for _ in range(self._rng.randint(1, 4))
        ]  # fmt: skip
        if self._rng.random() < 0.3:  # facts that the journal keeps together
            rows = [{"content": self._text()} for _ in range(self._rng.randint(3, 6))]
        how = self._rng.choice(((), ("--trust",), ("--merge",)))
        return ["import", "-", "--json", *how], _lines(rows), ()

    def _ingest(self):
        rng = self._rng
        name = rng.choice(("a.md", "b.md"))
        if rng.random() < 0.3:
            return ["library", *rng.choice(((), ("rm", name), ("show", name, "--json")))], "", ()
        text = "".join(f"# {rng.choice(WORDS)}\n\n{self._text()}\n\n" for _ in range(3))
        return ["ingest", "-", "--name", name, "--json"], text, ()

    def _recall(self):
        more = self._rng.choice((
            (), ("--no-touch",), ("--mode", "semantic"), ("--explain",), ("--archived",),
            ("--session", "s"), ("--speaker", "Ann"), ("--role", "assistant"),
            ("--agent", "coder"), ("--status", "done"), ("--graph", "on"), ("--graph", "auto"),
            ("--document", "a.md"), ("--no-documents",), ("--sessions", "-C", "1"),
        ))  # fmt: skip
        verb = self._rng.choice(("recall", "recall", "context"))
        way = self._rng.choice((
            (), (), ("--fusion", "rrf"), ("--fusion", "additive"), ("--fusion", "priority"),
            ("--decay", "weibull"), ("--decay", "spaced"), ("--mode", "points"),
            ("--profile", "motherbrain"), ("--profile", "vectormemory"), ("--profile", "rsclaw"),
        ))  # fmt: skip
        more = way if way else more
        return [verb, self._text(), "--json", *(more if way or verb == "recall" else ())], "", ()

    def _named(self):
        rng = self._rng
        verb, *more = rng.choice((
            ("show",), ("forget",), ("restore",), ("pin",), ("unpin",), ("feedback", "up"),
            ("feedback", "down"), ("edit", self._text()), ("edit", self._text(), "--slot", "day"),
            ("edit", "--status", "done"), ("edit", "--agent", "tester", "--json"),
            ("history",), ("purge", "--yes"), ("purge", "--dry-run"), ("show", "--json"),
            ("forget", "--superseded-by", self._ids()[0]), ("forget", "--json"),
        ))  # fmt: skip
        named = self._ids(2) if verb in ("forget", "restore", "pin", "purge") else self._ids()
        short = [one[: rng.choice((26, 26, 26, 26, 5))] for one in named]
        return [verb, *short, *more], "", ()

    def _link(self):
        a, b = self._ids()[0], self._ids()[0]
        more = self._rng.choice(((), ("--remove",), ("--reason", "because", "--json")))
        return ["link", a, b, "--kind", self._rng.choice(KINDS), *more], "", ()

    def _mcp(self):
        return doors.mcp(self._rng, text=self._text(), ids=self._ids(2), slots=SLOTS)

    def _hook(self):
        return doors.hook(self._rng, who=self._who, text=self._text())

    def _http(self):
        return doors.http(self._rng, text=self._text(), ids=self._ids())

    def _python(self):
        return doors.python(self._rng, text=self._text(), ids=self._ids())

    def _undo(self):
        number = self._rng.choice(((), (str(self._rng.randint(1, 30)),)))
        more = self._rng.choice(((), ("--dry-run",), ("--json",)))
        if self._rng.random() < 0.3:
            return ["redo", *more], "", ()
        if self._rng.random() < 0.2:
            return ["undo", "--list", *self._rng.choice(((), ("--json",)))], "", ()
        return ["undo", *number, *more], "", ()

    def _pass(self):
        verb, *more = self._rng.choice((
            ("dream", "--merge-at", "0.7", "--max-loss", "1"), ("dream", "--if-due"), ("gc",),
            ("dream", "--dry-run", "--json"), ("contradictions", "--json"), ("dream", "--json"),
            ("retention", "--days", "300", "--yes"), ("export",), ("list",), ("status", "--json"),
            ("dream", "--evict-below", "0.9", "--evict-after", "0d", "--max-loss", "1", "--json"),
            ("fading", "--within", "90d"), ("timeline",), ("timeline", "--slot", "day"),
            ("slots",), ("tags", "--json"), ("list", "--scope", "x"),
            ("list", "--session", "s", "--json"), ("list", "--speaker", "Ann"),
            ("list", "--role", "assistant"), ("history", "--session", "s", "--json"),
            ("history", "--role", "user"), ("export", "--session", "s"),
            ("forget", "--session", "t", "--yes"), ("status", "--scope", "x"),
            ("list", "--batch", "2"), ("export", "--source", "tool_output"),
            ("list", "--kind", "task", "--status", "active"), ("list", "--agent", "coder"),
            ("history", "--agent", "tester", "--json"), ("tags", "--agent", "coder"),
            ("forget", "--agent", "tester", "--yes"), ("export", "--status", "done"),
            ("forget", "--scope", "x", "--yes"), ("forget", "--query", "the", "--yes"),
        ))  # fmt: skip
        return [verb, *more], "", ()

    def _extract(self):
        talk = f"USER: {self._text()} is what I like\n\nASSISTANT: noted\n\nUSER: {self._text()}\n"
        edges = [
            {"a": "new:0", "b": one, "type": "uses", "reason": "so", "strength": 5}
            for one in self._ids(4)
        ]
        facts = [{"content": self._text(), "segment": self._rng.choice(SEGMENTS)} for _ in range(2)]
        reply = json.dumps({"facts": facts, "relationships": edges})
        name = self._rng.choice(("one", "two"))
        words = ["extract", "-", "--llm", "x", "--session", name, "--all-now", "--json"]
        return words, talk, (reply,)

    def _sessions(self):
        rng = self._rng
        name = rng.choice(("s1", "s2"))
        if rng.random() < 0.5:
            return ["sessions", *rng.choice((
                (), ("search", self._text(), "--json"), ("show", name), ("forget", name),
                ("purge", name, "--yes"), ("search", self._text(), "-C", "1"),
            ))], "", ()  # fmt: skip
        rows = [
            {"type": role, "sessionId": name, "uuid": f"{rng.randint(1, 9)}",
             "message": {"role": role, "content": self._text()}}
            for role in rng.choices(("user", "assistant"), k=3)
        ]  # fmt: skip
        return ["sessions", "add", "-", "--json"], _lines(rows), ()

    def _relink(self):
        named = self._ids(6)
        edges = [
            {"a": a, "b": b, "type": "uses", "reason": "so", "strength": 5}
            for a in named for b in named
        ]  # fmt: skip
        return ["relink", "--llm", "x", "--json"], "", (json.dumps({"relationships": edges}),) * 9

    def _consolidate(self):
        named = self._ids(6)
        because = {one: {"by": self._ids()[0], "reason": "why"} for one in named}
        reply = json.dumps({"archive": named, "because": because})
        force = self._rng.choice(((), ("--force",)))
        words = ["consolidate", "--llm", "x", "--min-facts", "2", "--max-loss", "1", "--json"]
        return [*words, *force], "", (reply,)


_VERBS = (
    *["remember"] * 7, "batch", "import", "import", "recall", "recall", *["named"] * 5, "link",
    "undo", "undo", "pass", "pass", "extract", "relink", "consolidate", "ingest", "ingest",
    "mcp", "mcp", "hook", "hook", "http", "python", "sessions", "sessions",
)  # fmt: skip


def _lines(rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


def looks(who):
    """Return the commands by which an origin sees all it may see, at the end."""
    last = NOW + 10**9
    ids = [id_of(other, number) for other in ORIGINS for number in (1, 2, 3, 5, 8)]
    words = [
        *(("recall", word, "--json", "--explain", "--limit", "50") for word in WORDS[:6]),
        ("recall", "deploy green", "--mode", "semantic", "--json", "--explain"),
        ("recall", "deploy", "--as-of", str(NOW + 50_000), "--json"),
        ("context", "deploy friday"), ("context", "vegetarian", "--json"),
        ("context", "alice", "--format", "xml"), ("list", "--lifecycle", "all", "--limit", "0"),
        ("list", "--json"), ("status",), ("status", "--json"), ("history", "--limit", "100"),
        ("history", "--json"), ("export",), ("export", "--format", "csv"), ("contradictions",),
        ("contradictions", "--json"), ("dream", "--dry-run", "--json", "--merge-at", "0.6"),
        ("gc", "--dry-run", "--json"), ("consolidate", "--dry-run", "--llm", "none", "--json"),
        ("relink", "--dry-run", "--llm", "none", "--json"), ("undo", "--dry-run", "--json"),
        ("retention", "--days", "1", "--dry-run", "--json"),
        ("sessions", "--json"), ("sessions", "show", "s1", "--json"),
        ("sessions", "search", "deploy green alice", "-C", "1", "--json"),
        ("library", "--json"), ("library", "show", "a.md"), ("list", "--no-documents"),
        ("recall", "deploy friday", "--document", "a.md", "--json", "--explain"),
        ("fading", "--within", "400d", "--json"), ("fading",), ("timeline", "--json"),
        ("graph", "--json"), ("graph", "--json", "--scope", "x", "--archived"),
        *(("graph", one, "--json", "--fan-out", "1", "--scope", "x") for one in ids[:6]),
        ("list", "--archived", "--json"), ("recall", "deploy green", "--archived", "--json"),
        *(("timeline", "--slot", slot, "--json") for slot in SLOTS),
        *(("timeline", one, "--json") for one in ids),
        *(("show", one, "--json") for one in ids), *(("history", one) for one in ids),
        *(("__complete", f"{kind}:{start}") for kind in KINDS_OFFERED for start in ("", "1", "d")),
    ]  # fmt: skip
    asked = [Command(who, one, stdin=stdin, at=last) for one, stdin in doors.looks(ids)]
    return [*(Command(who, one, at=last) for one in words), *asked]


class Arena:
    """One place where programs run, each in a fresh store of the same path, with an embedder if one
    is named."""

    def __init__(self, embedder=""):
        self._embedder = embedder
        self._folder = Path(tempfile.mkdtemp(prefix="tideline-isolation-"))
        self.path = self._folder / "memory.db"

    def close(self):
        shutil.rmtree(self._folder)

    def run(self, program, viewer):
        """Run a program and return what its viewer is told, on the way and at the end."""
        backends.remove(self.path)
        shutil.rmtree(self._folder)
        self._folder.mkdir()
        empty_store_at(self.path)
        if self._embedder:
            db = open_for_writing(str(self.path))
            put_setting(db, "embedder", self._embedder)
            db.close()
        made = dict.fromkeys(ORIGINS, 0)
        told = []
        for command in [*program, *looks(viewer)]:
            done = self._call(command, made)
            assert done.code in (0, 1, 2, 3, 4, 6), (command, done.err)
            if command.who == viewer:
                if isinstance(done.out, str):
                    done.out = backends.unnamed(done.out)
                told.append((repr(command), done))
        return told

    def _call(self, command, made):
        def new_id(now):
            made[command.who] += 1
            return id_of(command.who, made[command.who])

        replies = iter(command.replies)
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("TIDELINE_DB", str(self.path))
            patch.setenv("TIDELINE_HOME", str(self._folder / "state"))  # of this run alone
            patch.setenv("TIDELINE_NOW", command.words[-1])  # of doors that take no option
            if command.words[0] in doors.PSEUDO:
                return doors.answered(command, self.path)
            for module in (new_fact, edit, extract, ingest, mcp):
                patch.setattr(module, "new_id", new_id)
            reply = lambda *_, **__: next(replies, "{}")  # noqa: E731
            patch.setattr(model_options, "complete", reply)
            patch.setattr(consolidate, "complete", reply)
            done = run_main(*command.words, stdin=command.stdin)
            if command.words[0] == "hook":
                return replace(done, out=doors.without_fence(done.out))
            return done


def drawn(seed, *, length=22):
    """Return a viewer, its program, and the same with the others' commands among its own."""
    rng = random.Random(seed)
    viewer = rng.choice(ORIGINS)
    alone = _commands(rng, viewer, viewer, length)
    crowded = list(alone)
    for other in ORIGINS:
        if other != viewer:
            for command in _commands(rng, other, viewer, length):
                crowded.insert(rng.randint(0, len(crowded)), command)
    return viewer, alone, crowded


def _commands(rng, who, viewer, length):
    foreign = [id_of(other, n) for other in ORIGINS if other != who for n in (1, 2, 3)]
    author = Author(rng, who, foreign)
    times = sorted(NOW + rng.randint(0, 400_000) for _ in range(length))
    return [author.command(at) for at in times]


def difference(arena, seed):
    """Return the first answer that differs, None when the others leave no trace."""
    viewer, alone, crowded = drawn(seed)
    one, other = arena.run(alone, viewer), arena.run(crowded, viewer)
    assert len(one) == len(other)
    return next((pair for pair in zip(one, other, strict=True) if pair[0] != pair[1]), None)
