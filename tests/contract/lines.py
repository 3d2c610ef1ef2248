"""Command lines that mean something, drawn from the option tables: most are right, some are not."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.support import PEER
from tideline_cli.cli.commands import options_of, verb
from tideline_cli.cli.options import GLOBAL, Option
from tideline_cli.model.record import record

if TYPE_CHECKING:
    from random import Random

    from tests.contract.world import World

_WRONG = 0.07  # of the values
_TEXTS = ("deploy", "my cat", "the offsite budget", "PostgreSQL", "素食", "I deploy on Sundays",
          "my cat is called Ada", "nothing like it zebra", "tea & <biscuits>")  # fmt: skip
_BY_KIND = {
    "count": ("1", "2", "5", "50"), "number": ("0.5", "1", "0", "-0.3"), "share": ("0.5", "0", "1"),
    "time": ("2025-10-01", "1760000000000", "2025-09-20T08:00:00Z", "2026-02-01"),
    "start": ("2025-10-01", "1760000000000", "2 weeks ago", "7d"),
    "last": ("2025-10-09", "2025-09-20T08:00:00Z", "2025-10", "yesterday", "+1w"),
    "end": ("2026-02-01", "2025", "+30d", "next month"),
    "duration": ("30m", "7d", "0s"), "pair": ("k=v", "a=b"), "text": _TEXTS,
    "file": ("fresh.out", "rows.jsonl"), "folder": (".",),
}  # fmt: skip
_BY_NAME = {
    "llm": ("none", "/bin/cat", "/bin/false", "/no/such/program"), "model": ("m",),
    "base_url": ("http://localhost:9/v1",), "key_file": ("key",), "timeout": ("5",),
    "origin": ("owner", PEER.key, "channel:wa/c9/s9"),
    "now": ("2025-11-01", "1760000000000", "yesterday"),
    "embedder": ("hrr-256", "hash-256"), "tag": ("work", "none-such"), "slot": ("deploy_day", "x"),
    "profiles": ("all", "keyword,semantic", "loud"), "k": ("1", "3"),
    "table": ("fact",), "at": ("03:30", "02:15"), "from_": ("copy.db", "rows.jsonl", "2025-10-01"),
    "fmt": ("github", "grid", "nosuch"),
    "failure": ("record.txt",), "output": ("out.1", "-", "rows.jsonl"),
}  # fmt: skip
_BAD = {
    "count": ("-1", "1.5", "x", "99999999999"), "number": ("x", "nan"), "share": ("1.1", "-0.1"),
    "time": ("soon", "2026-02-30"), "start": ("soon", "2026-02-30"), "last": ("soon", "7x"),
    "end": ("7d", "friday", "soon"), "duration": ("1x", "-1d"), "choice": ("no-such-choice",),
    "pair": ("novalue",),
}  # fmt: skip
_GLOBALS = tuple(option for option in GLOBAL if option.name not in ("db", "json", "debug"))
_COMMON = ("yes", "dry_run")  # flags that a call is worth more with


@record
class Line:
    """A command line in parts: what is global, the command with its own options, and stdin."""

    command: str
    globals: tuple[str, ...]
    own: tuple[str, ...]
    words: tuple[str, ...]
    stdin: bytes

    def argv(self, *more: str, first: bool = False) -> tuple[str, ...]:
        """Return the whole line, the global options behind the command or before it."""
        rest = (*self.own, "--", *self.words) if self.words else self.own
        if first:
            return (*self.globals, *more, self.command, *rest)
        return (self.command, *self.globals, *more, *rest)


def drawn(rng: Random, world: World, command: str) -> Line:
    """Return a line for a command."""
    options = options_of(command)
    some = rng.sample(options, min(len(options), rng.choice((0, 1, 1, 2, 3))))
    left = [one for one in options if one.name in _COMMON and one not in some]
    some += [one for one in left if rng.random() < 0.5]
    own = [part for option in some for part in _given(rng, world, option)]
    both = rng.sample(_GLOBALS, rng.choice((0, 0, 1, 2)))
    whole = [part for option in both for part in _given(rng, world, option)]
    words = _words(rng, world, command)
    if command == "feedback" and "--delta" in own:
        words = words[:1]
    return Line(command, tuple(whole), tuple(own), tuple(words), _stdin(rng, command, own))


def _given(rng: Random, world: World, option: Option) -> list[str]:
    flag = rng.choice(option.flags)
    if option.kind == "flag":
        return [flag]
    value = _value(rng, world, option)
    return [f"{flag}={value}"] if flag.startswith("--") and rng.random() < 0.5 else [flag, value]


def _value(rng: Random, world: World, option: Option) -> str:
    if option.kind in _BAD and rng.random() < _WRONG:
        return rng.choice(_BAD[option.kind])
    if option.name in _BY_NAME:
        return rng.choice(_BY_NAME[option.name])
    if option.kind == "choice":
        return rng.choice([one for one in option.choices if one != "always"])
    if option.metavar == "ID":
        return _id(rng, world)
    if option.kind == "count":
        return rng.choice((str(option.least), str(max(option.least, 3)), *_BY_KIND["count"]))
    return rng.choice(_BY_KIND[option.kind])


def _id(rng: Random, world: World) -> str:
    if rng.random() < _WRONG:
        return rng.choice(("ZZZZ", "0", "@1", world.peer))
    full = rng.choice(world.ids)
    return full if rng.random() < 0.7 else full[:22].lower()


def _words(rng: Random, world: World, command: str) -> list[str]:
    arguments = verb(command).ARGUMENTS
    if not arguments:
        return ["word"] if rng.random() < _WRONG / 2 else []
    match command:
        case "link":
            return rng.sample(world.ids, 2)
        case "feedback":
            return [_id(rng, world), rng.choice(("up", "down"))]
        case "edit":
            return [_id(rng, world), rng.choice(_TEXTS)]
        case "undo":
            return rng.choice(([], ["1"], ["3"], ["12"], ["99"]))
        case "config":
            return rng.choice((["list"], ["get", "limit"], ["path"], ["set", "limit", "5"],
                               ["set", "color", "pink"], ["get", "x"], ["trust"], ["untrust"],
                               ["set", "sameness", "reference"], ["set", "analyzer", "reference"]))
        case "import":
            return [rng.choice(("rows.jsonl", "rows.csv", "rows.tsv", "rows.db", "-", "no.jsonl"))]
        case "setup":
            return rng.choice(([], ["codex"], ["cursor", "codex"], ["none-such"]))
        case "hook":  # a client's call has one form, and is no line for people
            return []
        case "sync":
            return rng.choice((["place"], ["place"], ["status"], ["log"], ["key"], [],
                               ["forget", "place"], ["key", "none-such"], ["nowhere/at/all"]))
        case "extract":
            return rng.choice((["talk.txt"], ["chats.json"], ["-"], ["no.txt"], []))
        case "sessions":
            return rng.choice(([], ["add", "talk.txt"], ["add", "chats.json"], ["search", "mail"],
                               ["show", "talk"], ["forget", "c-1"], ["purge", "talk"], ["add"]))
        case "eval":
            return rng.choice((["make"], ["run", "gold.jsonl"], ["run", "no.jsonl"],
                               ["run", "rows.jsonl"], ["load", "gold.jsonl"], ["run"]))
        case "backup":
            return [rng.choice(("fresh.db", "copy.db"))]
        case "restore" | "history" if rng.random() < 0.3:
            return []
    if arguments[0].choices:
        return [rng.choice((*arguments[0].choices, "none-such"))]
    if arguments[0].kind == "id":
        most = 3 if arguments[0].many else 1
        return list(dict.fromkeys(_id(rng, world) for _ in range(rng.randint(1, most))))
    return [] if rng.random() < 0.1 else [rng.choice(_TEXTS)]


def _stdin(rng: Random, command: str, own: list[str]) -> bytes:
    if command in ("extract", "import"):
        rows = ("USER: I live in Delft\n\nUSER: call 13800138000\n", '{"content": "a row"}\n', "")
        return rng.choice(rows).encode()
    if "--batch" in own:
        key = "content" if command == "remember" else "query"
        rows = ({key: "I deploy on Sundays"}, {key: "my cat"}, {"no": 1}, {key: 5})
        return "\n".join(json.dumps(row) for row in rng.choices(rows, k=rng.randint(0, 4))).encode()
    return rng.choice(_TEXTS).encode()
