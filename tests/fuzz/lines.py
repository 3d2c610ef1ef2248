"""Random command lines, made from the option tables: a command, its options, hostile values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.fuzz import values
from tideline_cli.cli.commands import COMMANDS, options_of, verb
from tideline_cli.cli.options import GLOBAL, Option
from tideline_cli.model.record import record

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

ENDING = [command for command in COMMANDS if command != "serve"]
"""The commands that end by themselves."""
_BY_KIND = {
    "count": values.NUMBERS, "number": values.NUMBERS, "share": values.NUMBERS,
    "time": values.TIMES, "start": values.TIMES, "last": values.TIMES, "end": values.TIMES,
    "duration": values.DURATIONS,
}  # fmt: skip
_BY_NAME = {"origin": values.ORIGINS, "llm": values.MODELS, "now": values.NOWS}
_GLOBALS = tuple(option for option in GLOBAL if option.name not in ("db", "json", "debug"))
_USUAL = 0.6  # of the values are what most people give
_NO_WORDS = (0,) * 9 + (1,)
_MIXED_UP = 0.1  # of the lines lose, double or swap a part


@record
class Line:
    """A command line, what it reads, and whether it asks for JSON beyond doubt."""

    argv: tuple[str, ...]
    stdin: bytes
    asks_json: bool
    command: str


def drawn(rng: Random, paths: Sequence[str], *, debug: bool = True) -> Line:
    """Return a command line; `paths` are what options and words of the kind file may name."""
    command = rng.choice(ENDING)
    asks_json = rng.random() < 0.5
    parts = _options(rng, options_of(command), paths) + _options(rng, _GLOBALS, paths)[:2]
    if rng.random() < 0.05:
        parts.append(["--db", rng.choice(paths)])
    if debug and rng.random() < 0.1:
        parts.append(["--debug"])
    if asks_json:
        parts.append(["--json"])
    rng.shuffle(parts)
    words = _words(rng, command, paths)
    argv = [command, *(word for part in parts for word in part)]
    argv += ["--", *words] if rng.random() < 0.4 else words
    if rng.random() < _MIXED_UP:
        asks_json = False
        _mix_up(rng, argv)
    elif any(word.startswith("-") for word in words):
        asks_json = asks_json and "--" in argv
    return Line(tuple(argv), values.stdin_for(rng), asks_json, command)


def _options(rng: Random, options: Sequence[Option], paths: Sequence[str]) -> list[list[str]]:
    some = rng.sample(options, min(len(options), rng.choice((0, 1, 1, 2, 4))))
    return [_given(rng, option, paths) for option in some]


def _given(rng: Random, option: Option, paths: Sequence[str]) -> list[str]:
    flag = rng.choice(option.flags)
    if option.kind == "flag":
        return [flag]
    value = _value(rng, option, paths)
    if flag.startswith("--") and rng.random() < 0.5:
        return [f"{flag}={value}"]
    return [flag, value]


def _value(rng: Random, option: Option, paths: Sequence[str]) -> str:
    if option.kind == "choice" and rng.random() < 0.9:
        return rng.choice(option.choices)
    usual = values.USUAL.get("id" if option.metavar == "ID" else option.name)
    usual = usual or values.USUAL.get(option.kind)
    if usual and rng.random() < _USUAL:
        return rng.choice(usual)
    if rng.random() < 0.2:
        return rng.choice(values.TEXTS)
    if option.kind in ("file", "folder"):
        return rng.choice(paths)
    known: Any = _BY_NAME.get(option.name) or _BY_KIND.get(option.kind)
    if option.kind == "pair":
        return f"{rng.choice(values.TEXTS)}={rng.choice(values.TEXTS)}"
    if option.metavar == "ID":
        known = values.IDS
    return rng.choice(known or values.TEXTS)


def _words(rng: Random, command: str, paths: Sequence[str]) -> list[str]:
    arguments = verb(command).ARGUMENTS
    kind = arguments[0].kind if arguments else "none"
    usual = 2 if command in ("link", "feedback", "edit") else 1
    count = rng.choice((0, usual, usual, usual, usual, usual, 1, 2, 3) if arguments else _NO_WORDS)
    pools: dict[str, Sequence[str]] = {
        "id": values.IDS, "file": paths,
        "word": (*(arguments[0].choices if arguments else ()), "limit", "analyzer", "0", "-1", "1"),
    }  # fmt: skip
    pool = pools.get(kind, values.TEXTS)
    if kind in ("id", "text") and rng.random() < _USUAL:
        pool = values.USUAL[kind]
    words = [rng.choice(pool if rng.random() < 0.85 else values.TEXTS) for _ in range(count)]
    if kind == "id" and len(words) > 1 and rng.random() < 0.5:
        words[-1] = rng.choice(values.TEXTS)
    return words


def _mix_up(rng: Random, argv: list[str]) -> None:
    place = rng.randrange(len(argv))
    match rng.randrange(4):
        case 0:
            del argv[place]
        case 1:
            argv.insert(place, argv[place])
        case 2:
            rng.shuffle(argv)
        case _:
            argv.insert(place, rng.choice(values.TEXTS))
